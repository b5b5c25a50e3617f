package main

import (
	"github.com/spf13/cobra"

	"retrystorm/scenarios"
)

func (a *app) schemaCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "schema",
		Short: "Print the JSON Schema of scenarios",
		Long: `Print the JSON Schema of scenario files. Editors with a YAML language server
use it for completion and help: name the file in the first line of a scenario.

  # yaml-language-server: $schema=scenario.schema.json`,
		Example: `  retrystorm schema > scenario.schema.json`,
		Args:    between(0, 0, ""),
		RunE: func(*cobra.Command, []string) error {
			a.printf("%s", scenarios.Schema())
			return nil
		},
	}
}
