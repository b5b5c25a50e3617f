package engines

import (
	"fmt"
	"strconv"
	"strings"
)

// MostShards is how many shards there may be: more would be smaller than what
// it costs to start them.
const MostShards = 10_000

// Shard is one of N equal parts of the work. K counts from 1; N is 0 where
// nothing is divided.
type Shard struct {
	K, N int
	// From is how we know: "SLURM_ARRAY_TASK_ID=7 of 1-10", or "--shard 7/10".
	From string
}

// runsAll ends messages for those who do not want to divide anything.
const runsAll = "--shard 1/1 runs everything"

// Parse reads the K/N of --shard.
func Parse(text string) (Shard, error) {
	bad := func(format string, args ...any) (Shard, error) {
		return Shard{}, fmt.Errorf("--shard %s: %s", text, fmt.Sprintf(format, args...))
	}
	first, second, found := strings.Cut(text, "/")
	k, okK := whole(first)
	n, okN := whole(second)
	switch {
	case !found || !okK || !okN:
		return bad("write K/N, as in 2/3 for the second of three shards")
	case n == 0:
		return bad("there must be at least one shard; %s", runsAll)
	case n > MostShards:
		return bad("at most %d shards", MostShards)
	case k == 0:
		return bad("shards are counted from 1, so the first is 1/%d", n)
	case k > n:
		return bad("there are only %d shards", n)
	}
	return Shard{k, n, "--shard " + text}, nil
}

// whole reads a number of digits only; what is too large for an int is larger
// than all that is allowed, and becomes the largest.
func whole(text string) (int, bool) {
	if text == "" || strings.Trim(text, "0123456789") != "" {
		return 0, false
	}
	n, err := strconv.Atoi(text)
	if err != nil {
		return int(^uint(0) >> 1), true
	}
	return n, true
}
