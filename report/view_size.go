package report

// mostScenario is how long the scenario inside a page may be.
const mostScenario = 150_000

// shorten leaves out what is longer than people read.
func (m *viewMaker) shorten() {
	if len(m.Scenario) > mostScenario {
		m.Scenario = ""
		m.drop("the scenario, which is long: scenario.yaml has it")
	}
}
