package main

import (
	"github.com/spf13/cobra"
)

func (a *app) showCommand() *cobra.Command {
	var long bool
	cmd := &cobra.Command{
		Use:   "show SCENARIO [--long]",
		Short: "Print a scenario",
		Long: `Print a scenario as it was written, or with --long in the long form: every
one-line form written out as a map, so that every value has a path of its own
for --set, --sweep and variants.`,
		Example: `  retrystorm show recovering-server
  retrystorm show recovering-server --long`,
		Args:              between(1, 1, "a SCENARIO"),
		ValidArgsFunction: completeScenarios,
		RunE: func(_ *cobra.Command, args []string) error {
			src, err := a.open(args[0])
			if err != nil {
				return err
			}
			if !long {
				a.printf("%s", src.text)
				return nil
			}
			none := changes{seed: -1, replications: -1}
			file, _, err := none.load(src)
			if err != nil {
				return err
			}
			a.printf("%s", file.Long())
			return nil
		},
	}
	cmd.Flags().BoolVar(&long, "long", false, "every one-line form written out as a map")
	return cmd
}
