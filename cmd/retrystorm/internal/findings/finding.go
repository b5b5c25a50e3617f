package findings

// Finding is a published finding: the experiments that stand for it and the
// claims that it makes.
type Finding struct {
	Name        string
	Title       string
	Source      string
	Experiments []Experiment
}

// Experiment is a built-in scenario, what is kept of its results, and what is
// claimed of them.
type Experiment struct {
	Scenario string
	Files    []string // of the output folder
	Claims   []Claim
}

// Claim is a sentence that the numbers can confirm or refute.
type Claim interface {
	// sentence is the claim in words.
	sentence() string
	// judge holds it against a result.
	judge(in *inquiry) (verdict, error)
}

// verdict is what became of a claim.
type verdict struct {
	Word     string
	Measured string
}

// row is one line of FINDINGS.md.
type row struct{ Finding, Claim, Source, Measured, Verdict string }
