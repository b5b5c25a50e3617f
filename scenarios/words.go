package scenarios

import (
	"strings"

	"retrystorm/server"
	"retrystorm/strategies"
)

// Values that are one word of several kinds: a rate or a count, a time or a
// quantile, a time or a rule.

const floorAllowed = "a rate such as 10/s (ratio, window), or a number of retries such as 3 (concurrent)"

// parseFloor reads what a budget always allows: 10/s, or 3.
func parseFloor(s string) (strategies.Floor, *wrong) {
	if strings.Contains(s, "/") {
		rate, w := parseRate(s)
		return strategies.Floor{Set: true, Rate: rate}, w
	}
	n, w := parseCount(s)
	if w != nil && w.message == "not a number" {
		w = &wrong{"neither a rate nor a number", floorAllowed}
	}
	return strategies.Floor{Set: true, Count: n}, w
}

const afterAllowed = "a time such as 50ms, or a quantile of the times seen such as p95"

// parseAfter reads when a hedge is sent: 50ms, p95 or p99.9.
func parseAfter(s string) (strategies.After, *wrong) {
	percent, isQuantile := strings.CutPrefix(s, "p")
	if !isQuantile {
		d, w := parseDuration(s)
		if w != nil && w.message == "not a duration" {
			w = &wrong{"neither a time nor a quantile", afterAllowed}
		}
		return strategies.After{Delay: d}, w
	}
	q, w := parseShare(percent + "%")
	switch {
	case w != nil || strings.ContainsAny(percent, "eE_"):
		return strategies.After{}, &wrong{"not a quantile", afterAllowed}
	case q <= 0 || q >= 1:
		return strategies.After{}, &wrong{"not a quantile", "above p0 and below p100, such as p95"}
	}
	return strategies.After{Quantile: q}, nil
}

const warmupAllowed = durationAllowed + ", or auto"

// parseWarmup reads a time, or the word auto.
func parseWarmup(s string) (Warmup, *wrong) {
	if s == "auto" {
		return Warmup{Auto: true}, nil
	}
	d, w := parseDuration(s)
	if w != nil && w.message == "not a duration" {
		w = &wrong{"neither a time nor auto", warmupAllowed}
	}
	return Warmup{Until: d}, w
}

const askedAllowed = "a time such as 30s, next-token, recovery, queue, never"

var askedWords = map[string]server.AskedKind{
	"next-token": server.AskedToken,
	"recovery":   server.AskedRecovery,
	"queue":      server.AskedQueue,
	"never":      server.AskedNever,
}

// parseAsked reads the wait that an answer asks for; 0s asks for none, which
// is not the same as saying nothing.
func parseAsked(s string) (server.Asked, *wrong) {
	if kind, ok := askedWords[s]; ok {
		return server.Asked{Kind: kind}, nil
	}
	d, w := parseDuration(s)
	if w != nil && w.message == "not a duration" {
		w = &wrong{"neither a time nor a rule" + didYouMean(s, []string{"next-token", "recovery", "queue", "never", "none"}), askedAllowed}
	}
	return server.Asked{Kind: server.AskedDelay, Delay: d}, w
}

const answerAllowed = "refused, reset, silent, or a status 400 to 599"

// checkKey finds what is wrong with a key of a map: a name, or a word of the
// given format.
func checkKey(format, key string) *wrong {
	switch format {
	case "outcome":
		if _, err := strategies.ParseOutcomes([]string{key}); err != nil {
			_, allowed, _ := strings.Cut(err.Error(), "; allowed: ")
			return &wrong{"not an outcome", allowed}
		}
		return nil
	case "live":
		return checkLive(key)
	case "answer":
		if new(server.Answer).UnmarshalText([]byte(key)) != nil {
			return &wrong{"not an answer", answerAllowed}
		}
		return nil
	}
	return checkName(key)
}
