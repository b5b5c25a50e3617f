package report

import "retrystorm/experiment"

func Plots(r *experiment.Result) []File { return nil }
