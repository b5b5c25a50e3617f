// Package experiment runs every point of a scenario many times and says what
// came out, with intervals. It is the only place below the command that has
// goroutines.
//
// How to use it:
//
//  1. [New] takes a loaded scenario file: it resolves every point to a model
//     and checks every expectation, so that nothing fails for a reason that
//     could have been known before.
//  2. [Experiment.Run] runs points x replications on a few workers and returns
//     a [Result]: for each [Point] the metrics of each run, their estimates,
//     timelines, the distribution of completion times, the traffic of hops, and
//     why calls were made there and others withheld.
//     A [Store] keeps each point as soon as it is finished, gives it back to a
//     later run, and makes memory independent of most of what a point has. A
//     [Shard] is a part of the work; a sealed run over the stores of all shards
//     puts them together. Bisections decide as they go which points there are,
//     and [Experiment.Rank] which variants get more replications.
//  3. [Experiment.Judge] says which expectations hold, by the whole interval, or
//     that more replications are needed to tell. Run has done it already; it is
//     for results put together from parts. [Experiment.SetBaseline] gives the
//     earlier result that they may compare with.
//  4. [Compare] tells two points apart on one metric, replication by
//     replication; [Decide] turns the comparisons of a claim into a verdict,
//     [Contrasts] those of variants with a reference into what is certain.
//     [Tradeoffs] finds the points that no other beats, [Effects] the axes that
//     matter, and [Selection] the best of several variants.
//  5. [Precision] says when there are enough replications, and [MSER5] where the
//     start of a run stops to show.
//
// How often its intervals hold the truth is measured with the simulator itself:
// testdata/coverage.csv.
//
// What it promises:
//
//   - The result is a function of the scenario alone. Replication r has the
//     same random streams at every point (common random numbers). Numbers of a
//     replication are placed by index; what is pooled over replications is made
//     of integers and multisets, so the order of merging cannot show. Neither
//     the number of workers nor their luck reaches a result.
//   - Metrics are defined once, with formula and unit: those of all experiments in
//     metrics.go, those that only some have in aftermath.go.
//   - A value that is not available is NaN, one that is never reached is +Inf.
//     A metric that can be infinite is summarised by its median, never its mean.
//   - Means and variances are summed in index order with unfused products, and
//     quantiles of Student's t are rounded to 10 digits, so that they have the
//     same bits on every architecture.
package experiment
