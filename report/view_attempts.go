package report

import "retrystorm/experiment"

// viewAttempts are the attempts of replication 1.
func viewAttempts(*experiment.Point) ViewAttempts { return ViewAttempts{} }
