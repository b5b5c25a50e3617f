package main

import (
	"encoding/json"
	"fmt"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"retrystorm/scenarios"
)

func (a *app) listCommand() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "list [--json]",
		Short: "List the built-in scenarios",
		Long:  `List the built-in scenarios: their names, and the question each answers.`,
		Example: `  retrystorm list
  retrystorm list --json`,
		Args: between(0, 0, ""),
		RunE: func(*cobra.Command, []string) error {
			if asJSON {
				return a.listJSON()
			}
			w := tabwriter.NewWriter(a.stdout, 0, 0, 2, ' ', 0)
			for _, b := range scenarios.Builtins() {
				fmt.Fprintf(w, "%s\t%s\n", b.Name, b.Title)
			}
			return w.Flush()
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "for programs: a list of name and title")
	return cmd
}

func (a *app) listJSON() error {
	type item struct {
		Name  string `json:"name"`
		Title string `json:"title"`
	}
	items := []item{}
	for _, b := range scenarios.Builtins() {
		items = append(items, item{b.Name, b.Title})
	}
	return a.printJSON(items)
}

func (a *app) printJSON(v any) error {
	e := json.NewEncoder(a.stdout)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(v)
}
