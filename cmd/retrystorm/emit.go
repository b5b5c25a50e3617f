package main

import (
	"cmp"
	"maps"

	"github.com/spf13/cobra"

	"retrystorm/cmd/retrystorm/internal/engines"
	"retrystorm/cmd/retrystorm/internal/forecast"
)

func (a *app) emitCommand() *cobra.Command {
	var c changes
	var g gates
	o := engines.EmitOptions{}
	cmd := &cobra.Command{
		Use:   "emit ENGINE SCENARIO [--shards N]",
		Short: "Write a file that runs a scenario on many machines",
		Long: `Write a ready file for an engine that runs the shards of a scenario on many
machines and merges them: a Slurm array script (slurm), an Indexed Job with its
merge (k8s), a GitHub workflow (github), or a GitLab pipeline (gitlab). The file
goes to standard output. Flags that change the scenario are passed on to the
runs, and those about expectations to the merge; the baseline is looked at now.`,
		Example: `  retrystorm emit slurm aws-occ --shards 20 > sweep.sh
  retrystorm emit k8s aws-occ --shards 8 --image registry.example/retrystorm:1 > job.yaml
  retrystorm emit github aws-occ --shards 4 --strict > sweep.yml`,
		Args: between(2, 2, "an ENGINE or a SCENARIO"),
		ValidArgsFunction: func(cmd *cobra.Command, args []string, word string) ([]string, cobra.ShellCompDirective) {
			if len(args) == 0 {
				return engines.Kinds(), cobra.ShellCompDirectiveNoFileComp
			}
			return completeScenarios(cmd, args, word)
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := c.check(cmd); err != nil {
				return err
			}
			check := g.named
			if args[0] == "slurm" { // the merge works where we do
				check = func(cmd *cobra.Command) error { return g.check(cmd, args[1]) }
			}
			if err := check(cmd); err != nil {
				return err
			}
			return a.emit(args[0], args[1], &c, g, o)
		},
	}
	c.flags(cmd)
	g.flags(cmd)
	f := cmd.Flags()
	f.IntVar(&o.Shards, "shards", engines.DefaultShards, "`number` of shards")
	f.StringVar(&o.Image, "image", "", "container `image` with retrystorm in its PATH, for k8s and gitlab")
	return cmd
}

func (a *app) emit(engine, arg string, c *changes, g gates, o engines.EmitOptions) error {
	src, err := a.open(arg)
	if err != nil {
		return err
	}
	if arg == "-" {
		return usagef("emit needs a scenario that other machines can read: a file, or a built-in one")
	}
	p, err := c.prepare(src)
	if err != nil {
		return err
	}
	o.Scenario, o.Source = p.file.Scenario.Name, arg
	if !src.ours {
		o.File = src.text
		if o.Data, err = c.data(src, p); err != nil {
			return err
		}
	}
	g.junit = cmp.Or(g.junit, engines.JUnit(engine, o.Scenario))
	o.Run, o.JUnit, o.Baseline = c.words(), g.junit, g.baseline
	if g.strict {
		o.Merge = []string{"--strict"}
	}
	o.Memory = p.experiment.Clients()*forecast.BytesPerClient*2 + 256<<20 // for two cores, and the rest
	text, err := engines.Emit(engine, o)
	if err != nil {
		return &exitError{exitUsage, err}
	}
	if err := g.mergeable(src.name, p); err != nil {
		return err
	}
	a.printf("%s", text)
	return nil
}

// data are the files that a scenario reads, also those of parts that are left
// out: it must be right as a whole on the other machines, too.
func (c *changes) data(src source, p *prepared) (map[string][]byte, error) {
	all := p.file.Data()
	if !c.narrows() {
		return all, nil
	}
	none := changes{seed: -1, replications: -1}
	whole, err := none.prepare(src)
	if err != nil {
		return nil, err
	}
	maps.Copy(all, whole.file.Data())
	return all, nil
}

// mergeable finds what the merge would refuse after all the work is done.
func (g *gates) mergeable(name string, p *prepared) error {
	if err := g.refuse(name, p.dropped, p.experiment); err != nil {
		return err
	}
	if g.baseline == "" {
		return nil
	}
	return setBaseline(p.experiment, g.baseline)
}
