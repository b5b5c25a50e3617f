package forecast

import (
	"bytes"
	"fmt"
	"math"
	"os"
	"runtime/debug"
	"runtime/metrics"
	"strconv"
	"strings"
)

// A run that needs more memory than there is would be ended by the system,
// without a word, or take others down. So runs that cannot fit are refused,
// and those that grow too large are stopped while there is time to say so.

// BytesPerClient is about what a replication needs for each client.
const BytesPerClient = 160

// MemoryLimit is how much memory this process may use: what GOMEMLIMIT says,
// else most of what is free; 0 when nobody knows.
func MemoryLimit() uint64 {
	if set := debug.SetMemoryLimit(-1); set != math.MaxInt64 {
		return uint64(set)
	}
	free := meminfo("MemAvailable:")
	if limit := cgroup("memory.max"); limit > 0 {
		used := cgroup("memory.current")
		free = min(free, limit-min(used, limit))
	}
	return free / 10 * 9
}

// meminfo is a line of /proc/meminfo in bytes, 0 where there is none.
func meminfo(name string) uint64 {
	text, _ := os.ReadFile("/proc/meminfo")
	for line := range strings.Lines(string(text)) {
		if rest, ok := strings.CutPrefix(line, name); ok {
			kilobytes, _ := strconv.ParseUint(strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(rest), "kB")), 10, 64)
			return kilobytes << 10
		}
	}
	return 0
}

// cgroup is a number that limits the memory of a container, 0 without one.
func cgroup(name string) uint64 {
	text, _ := os.ReadFile("/sys/fs/cgroup/" + name)
	n, _ := strconv.ParseUint(string(bytes.TrimSpace(text)), 10, 64)
	return n
}

// MemoryUsed is what the process holds of the system's memory.
func MemoryUsed() uint64 {
	s := []metrics.Sample{{Name: "/memory/classes/total:bytes"}, {Name: "/memory/classes/heap/released:bytes"}}
	metrics.Read(s)
	return s[0].Value.Uint64() - s[1].Value.Uint64()
}

// Fitting is how many replications with that many clients fit into a limit at
// a time, at most jobs; an error if not even one does.
func Fitting(jobs int, clients int64, limit uint64) (int, error) {
	each := uint64(clients) * BytesPerClient
	if limit == 0 || each*uint64(jobs) <= limit {
		return jobs, nil
	}
	if each > limit {
		return 0, fmt.Errorf("one run with %d clients needs about %s of memory, and %s can be had", clients, Size(each), Size(limit))
	}
	return int(limit / each), nil
}

// Size is an amount of memory for people.
func Size(n uint64) string {
	if n >= 1<<30 {
		return fmt.Sprintf("%.1f GiB", float64(n)/(1<<30))
	}
	return fmt.Sprintf("%d MiB", n>>20)
}
