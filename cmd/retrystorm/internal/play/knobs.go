package play

import "retrystorm/scenarios"

func knobs(*scenarios.File) []Knob { return []Knob{} }
