package findings

import "slices"

const (
	awsPost    = "AWS Architecture Blog, \"Exponential Backoff And Jitter\" (2015), and its public simulator"
	arithmetic = "arithmetic"
)

// Catalogue lists the findings in the order of FINDINGS.md.
func Catalogue() []Finding {
	return slices.Concat(backoff(), layers(), limits(), storms(), metastability(), graphs(), doubles(), letters())
}
