package experiment

import (
	"fmt"
	"strconv"
	"strings"
)

// A quantile is named by p and digits: two are percent, further ones decimals of
// it. p99 is 99 %, p999 is 99.9 %, p5 is 5 %.

// completionQuantile is a quantile, in millionths, over all requests.
func completionQuantile(digits string, q int64) definition {
	return grouped(never(seconds("completion_p"+digits,
		quantileWords(q)+" of the completion time, the unsuccessful as infinite", completion(q))))
}

// successQuantile is a quantile, in millionths, over the successful requests.
func successQuantile(digits string, q int64) definition {
	d := grouped(seconds("success_p"+digits, quantileWords(q)+" of the completion time of successful requests", success(q)))
	d.Quantile = q
	return d
}

func quantileWords(q int64) string {
	if q == million/2 {
		return "median"
	}
	return inPercent(q) + " quantile"
}

// inPercent writes millionths.
func inPercent(q int64) string { return strconv.FormatFloat(float64(q)/1e4, 'f', -1, 64) + " %" }

// quantileMetric is the metric of any quantile; not ok if the name is of another
// kind.
func quantileMetric(name string) (d definition, ok bool, err error) {
	family, digits, _ := strings.Cut(name, "_p")
	if digits == "" || strings.Trim(digits, "0123456789") != "" || family != "completion" && family != "success" {
		return d, false, nil
	}
	q, digits, err := quantileDigits(digits)
	switch {
	case err != nil:
		return d, true, fmt.Errorf("%s: %w", name, err)
	case family == "completion":
		return completionQuantile(digits, q), true, nil
	default:
		return successQuantile(digits, q), true, nil
	}
}

// quantileDigits reads the digits of a quantile, and writes them without zeros
// that say nothing: p990 is p99.
func quantileDigits(digits string) (q int64, short string, err error) {
	const most = 6 // digits of a millionth
	switch zeros := strings.TrimRight(digits, "0"); {
	case zeros == "":
		return 0, "", fmt.Errorf("there is no quantile of 0 %%; the smallest is p000001, which is 0.0001 %%")
	case zeros == "1" && len(digits) > 2:
		return 0, "", fmt.Errorf("two digits are percent and further ones decimals, so this would be 10 %%, written p10; 100 %% is no quantile, p9999 is 99.99 %%")
	case len(digits) > most:
		return 0, "", fmt.Errorf("a quantile has %d digits at most", most)
	}
	n, err := strconv.ParseInt(digits, 10, 64)
	if err != nil {
		return 0, "", fmt.Errorf("not a quantile: p%s", digits)
	}
	if len(digits) == 1 {
		return n * million / 100, digits, nil
	}
	q = n
	for range most - len(digits) {
		q *= 10
	}
	short = digits[:2] + strings.TrimRight(digits[2:], "0")
	if len(short) == 2 {
		short = strings.TrimPrefix(short, "0")
	}
	return q, short, nil
}
