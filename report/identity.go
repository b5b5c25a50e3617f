package report

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"slices"

	"retrystorm/experiment"
)

// Identity says which result a folder holds or will hold. Finished points are
// only reused when all of it is equal.
type Identity struct {
	Scenario     string   `json:"scenario"`
	Hash         string   `json:"scenario_hash"` // of the scenario as run
	Seed         int64    `json:"seed"`
	Replications int64    `json:"replications"`
	Points       int      `json:"points"`
	Metrics      []string `json:"metrics"` // columns
}

// IdentityOf is the identity of a result with the given number of points; the
// result needs no points yet.
func IdentityOf(r *experiment.Result, points int) Identity {
	id := Identity{Scenario: r.Scenario, Hash: r.Hash, Seed: r.Seed, Replications: r.Replications, Points: points}
	for _, m := range r.Metrics {
		id.Metrics = append(id.Metrics, m.Column)
	}
	return id
}

// differs says in what a stored identity differs, "" when in nothing.
func (id Identity) differs(stored Identity) string {
	switch {
	case id.Scenario != stored.Scenario:
		return fmt.Sprintf("it is of scenario %s, not %s", stored.Scenario, id.Scenario)
	case id.Seed != stored.Seed:
		return fmt.Sprintf("it has seed %d, not %d", stored.Seed, id.Seed)
	case id.Replications != stored.Replications:
		return fmt.Sprintf("it has %d replications, not %d", stored.Replications, id.Replications)
	case id.Hash != stored.Hash: // covers the two above, which say more
		return "the scenario has changed since"
	case id.Points != stored.Points:
		return fmt.Sprintf("it has %d points, not %d", stored.Points, id.Points)
	case !slices.Equal(id.Metrics, stored.Metrics):
		return "it has other metrics"
	}
	return ""
}

// storedIdentity is the file that marks a folder as partial result.
type storedIdentity struct {
	FormatVersion  int `json:"format_version"`
	ResultsVersion int `json:"results_version"`
	Identity
}

func (id Identity) marshal() []byte {
	b, err := json.Marshal(storedIdentity{FormatVersion, ResultsVersion, id})
	if err != nil {
		panic("report: " + err.Error()) // strings and integers only
	}
	return append(b, '\n')
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
	if s.FormatVersion != FormatVersion || s.ResultsVersion != ResultsVersion {
		return id, "another version of the program made it", nil
	}
	return s.Identity, "", nil
}

// manifestIdentity is the identity of a finished result.
func manifestIdentity(m *manifest) Identity {
	return IdentityOf(m.result(), len(m.Points))
}
