// Package limit holds limits that both ends of a call know: how much may be in
// flight at once, and how much may go per second.
//
// [Spec] is what a scenario says, [Rules] are a Spec compiled, read only, and a
// [State] is what one holder of a limit remembers. All are pure state machines:
// time is an argument, there is no clock in them and nothing random.
//
// Whoever gets a yes from Acquire is in flight until Release or Leave. With the
// number in flight, the one that ends included, the limit L changes like this:
//
//   - concurrency: never.
//   - aimd: +1/L for what succeeds while at least half of the limit is used,
//     times 0.9 for what is dropped. Chiu and Jain, "Analysis of the increase
//     and decrease algorithms for congestion avoidance in computer networks",
//     1989; Netflix concurrency-limits adds 1 where this adds 1/L.
//   - gradient: as Gradient2 of Netflix concurrency-limits (0.5), one sample for
//     each end. A long average a of the times is the mean of the first 10, then
//     a = (1-f) a + f t with f = 2/601; when it is more than twice the present
//     time t, it is cut to 0.95 a. While less than half of the limit is used,
//     the limit stays. Else the gradient is 1.5 a/t, held within 0.5 to 1, and
//     L = 0.8 L + 0.2 (gradient L + 4). What is dropped counts as a gradient of
//     0.5 and leaves the average alone, since a quick refusal says nothing
//     about how long the work takes.
//
// The limit stays within min and max, and what is in flight is compared with
// its whole part.
//
// A [Bucket] is a token bucket that knows when its next token comes.
package limit
