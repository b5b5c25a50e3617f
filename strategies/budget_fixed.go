package strategies

import "math"

const (
	thousand = 1_000
	million  = 1_000_000
)

// thousandths is x as a whole number of thousandths.
func thousandths(x float64) int64 { return int64(math.Round(float64(x * thousand))) }

// wholeThousandths drops what is below a thousandth: of the decimal number that
// was written, so that 0.29 stays 0.29.
func wholeThousandths(x float64) int64 { return millionths(x) / (million / thousand) }

// millionths is x as a whole number of millionths.
func millionths(x float64) int64 { return int64(math.Round(float64(x * million))) }
