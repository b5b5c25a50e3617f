package lint

import (
	"fmt"
	"strings"
	"time"
)

// duration is a duration as scenarios write it, to four digits or so.
func duration(d time.Duration) string {
	unit := time.Nanosecond
	for d/unit >= 10_000 {
		unit *= 10
	}
	s := strings.Replace(d.Round(unit).String(), "µs", "us", 1)
	if strings.HasSuffix(s, "m0s") {
		s = strings.TrimSuffix(s, "0s")
	}
	if strings.HasSuffix(s, "h0m") {
		s = strings.TrimSuffix(s, "0m")
	}
	return s
}

// seconds is a duration from seconds.
func seconds(s float64) time.Duration {
	return time.Duration(min(float64(s*float64(time.Second)), 1<<62))
}

func percent(share float64) string { return number(share*100) + "%" }

// perSecond writes a rate.
func perSecond(rate float64) string { return number(rate) + "/s" }

// fieldOf is the last part of a path.
func fieldOf(path string) string { return path[strings.LastIndexByte(path, '.')+1:] }

// counted writes a number of things.
func counted(n float64, what string) string {
	if n == 1 {
		return "1 " + what
	}
	stem, plural := what, "s"
	switch {
	case strings.HasSuffix(what, "ss"):
		plural = "es"
	case strings.HasSuffix(what, "ry"):
		stem, plural = strings.TrimSuffix(what, "y"), "ies"
	}
	return fmt.Sprintf("%s %s%s", number(n), stem, plural)
}
