// Package real compares what retrystorm says about retry libraries with the
// libraries themselves. It is a module of its own, so that the tool depends on
// none of them; all of it is tests.
//
// The libraries, as go.mod has them:
//
//	cenkalti/backoff v4.3.0 and v5.0.3, aws-sdk-go-v2 v1.48.0 (aws/retry),
//	hashicorp/go-retryablehttp v0.7.8, failsafe-go v0.9.8,
//	avast/retry-go v4.7.0 and v5.1.1, sethvargo/go-retry v0.5.0,
//	gax-go v2.27.0, k8s.io/client-go and apimachinery v0.37.2,
//	stripe-go v82.5.1, Temporal SDK v1.51.0, grpc-go v1.85.0
//
// What is compared:
//
//   - TestDelays: the waits before retries 1 to 8 of whole requests, by mean,
//     five quantiles both ways, the bounds of the preset, and the correlation of
//     the third wait with the fourth.
//   - TestCalls, TestElapsed, TestElapsedByDefault: how many calls a request
//     makes when all of them fail, and when.
//   - TestRetryAfter, TestPushback: what becomes of a wait that the server asks
//     for, and of those after it.
//   - TestAWSQuota, TestAWSQuotaEmpty, TestAvastBucket, TestGRPCThrottle: token
//     buckets, request by request through long histories. Equal, not similar.
//   - TestTwin: one scenario, played by libraries and an in-memory server in
//     virtual time, and by the simulator: calls, peak, completion times; also
//     with a quota, a budget and a breaker that all requests share.
//   - Some tests say what a library does where that is easily mistaken and the
//     simulator has no part: TestStripeBodies, TestLinearJitterInStep,
//     TestFailsafeHoldsItsExponent.
//
// Libraries that sleep by themselves and export no formula (stripe-go, Temporal,
// grpc-go, failsafe-go) are watched through their public API in a bubble of
// testing/synctest, where time passes only when everybody sleeps, so that the
// time between two calls is the wait, to the nanosecond. Nothing was out of
// reach that way. Not looked at: the adaptive rate limiter of the AWS SDK
// against a live clock, client-go's REST client, the AWS SDK's services, and the
// versions before those above, but for the old formula that aws/retry still has.
//
// The libraries cannot be seeded. Tests that compare samples are so wide that
// they do not fail by chance: see sigmas and chance.
package real
