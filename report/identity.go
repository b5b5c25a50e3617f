package report

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"retrystorm/experiment"
)

// Identity says which result a folder holds or will hold. Finished points are
// only reused when all of it is equal.
type Identity struct {
	Scenario     string   `json:"scenario"`
	Hash         string   `json:"scenario_hash"` // of the scenario as run
	Seed         int64    `json:"seed"`
	Replications int64    `json:"replications"`
	Metrics      []string `json:"metrics"` // columns
	// Shard of Shards is which part of the result it is; 0 of 0 is the whole.
	Shard  int `json:"shard,omitempty"`
	Shards int `json:"shards,omitempty"`
	// YAML is the scenario as run; it is kept in a file of its own.
	YAML []byte `json:"-"`
}

// IdentityOf is the identity of a result, which needs no points yet.
func IdentityOf(r *experiment.Result) Identity {
	id := Identity{
		Scenario: r.Scenario, Hash: r.Hash, Seed: r.Seed, Replications: r.Replications,
		YAML: r.ScenarioYAML,
	}
	for _, m := range r.Metrics {
		id.Metrics = append(id.Metrics, m.Column)
	}
	return id
}

// differs says in what a stored identity differs, "" when in nothing.
func (id Identity) differs(stored Identity) string {
	if id.Scenario != stored.Scenario {
		return fmt.Sprintf("it is of scenario %s, not %s", stored.Scenario, id.Scenario)
	}
	var reasons, said []string
	if id.Seed != stored.Seed {
		reasons, said = append(reasons, fmt.Sprintf("it has seed %d, not %d", stored.Seed, id.Seed)), append(said, "seed")
	}
	if id.Replications != stored.Replications {
		reasons = append(reasons, fmt.Sprintf("it has %d replications, not %d", stored.Replications, id.Replications))
		said = append(said, "replications")
	}
	if id.Hash != stored.Hash { // covers the two above, which say more
		if changes := scenarioChanges(stored.YAML, id.YAML, said...); changes != "" {
			reasons = append(reasons, changes)
		}
	}
	switch {
	case len(reasons) > 0:
		return strings.Join(reasons, "; ")
	case !slices.Equal(id.Metrics, stored.Metrics):
		return "it has other metrics"
	case id.Shard != stored.Shard || id.Shards != stored.Shards:
		return fmt.Sprintf("it is %s, not %s", stored.part(), id.part())
	}
	return ""
}

// part says which part of a result it is.
func (id Identity) part() string {
	if id.Shards == 0 {
		return "the whole result"
	}
	return fmt.Sprintf("shard %d of %d", id.Shard, id.Shards)
}

// storedIdentity is the file that marks a folder as partial result.
type storedIdentity struct {
	FormatVersion  int    `json:"format_version"`
	ResultsVersion int    `json:"results_version"`
	Layout         string `json:"layout"` // of the points
	Identity
}

func (id Identity) stored() storedIdentity {
	return storedIdentity{FormatVersion, ResultsVersion, pointLayout(), id}
}

func (id Identity) marshal() []byte {
	b, err := json.Marshal(id.stored())
	if err != nil {
		panic("report: " + err.Error()) // strings and integers only
	}
	return append(b, '\n')
}

// outdated says why what another version of the program kept is of no use to
// this one, "" when it is.
func (s *storedIdentity) outdated() string {
	switch {
	case s.ResultsVersion != ResultsVersion:
		return fmt.Sprintf("it has results version %d, not %d: the numbers differ", s.ResultsVersion, ResultsVersion)
	case s.FormatVersion != FormatVersion:
		return fmt.Sprintf("it has format version %d, not %d", s.FormatVersion, FormatVersion)
	case s.Layout != pointLayout():
		return "another version of the program made it"
	}
	return ""
}

// readIdentity reads the identity of a partial folder; reason says why it is
// of no use to this program, "" when it is.
func readIdentity(dir fs.FS) (id Identity, reason string, err error) {
	b, err := fs.ReadFile(dir, identityFile)
	if err != nil {
		return id, "", err
	}
	var s storedIdentity
	if json.Unmarshal(b, &s) != nil {
		return id, "its " + identityFile + " is damaged", nil
	}
	s.YAML, _ = fs.ReadFile(dir, scenarioFile) // it only explains
	return s.Identity, s.outdated(), nil
}

// manifestIdentity is the identity of a finished result.
func manifestIdentity(dir fs.FS, m *manifest) Identity {
	id := IdentityOf(m.result())
	id.YAML, _ = fs.ReadFile(dir, scenarioFile)
	return id
}
