package forecast

import (
	"fmt"
	"math"

	"retrystorm/report"
)

// About is a number that is not known better than to two digits.
func About(x float64) string {
	if x <= 0 || math.IsInf(x, 0) {
		return report.Human(x, "")
	}
	scale := math.Pow(10, math.Floor(math.Log10(x))-1)
	return report.Human(math.Round(x/scale)*scale, "")
}

// Clock is a duration for people who wait, with blanks as in reports.
func Clock(seconds float64) string {
	minutes := int(math.Round(seconds / 60))
	switch {
	case seconds < 1:
		return "1 s"
	case seconds > 1e9:
		return "more than 30 years"
	case seconds < 600:
		return report.Human(math.Round(seconds), "s")
	case minutes < 60:
		return fmt.Sprintf("%d min", minutes)
	}
	return fmt.Sprintf("%d h %d min", minutes/60, minutes%60)
}
