package main

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

const rootLong = `Retrystorm simulates retry storms. A scenario says who calls whom, what fails
when, and how callers retry; the answer is how many calls reach the service,
when everybody is done, and whether the system recovers at all. The same
scenario and seed give the same numbers, everywhere.

A SCENARIO is a file, - for standard input, or the name of a built-in one. A
file wins over a built-in scenario of the same name.

` + exitCodes

const rootExample = `  retrystorm list
  retrystorm run aws-occ --replications 3
  retrystorm init my-service
  retrystorm run my-service.yaml -o results`

func (a *app) root() *cobra.Command {
	version := false
	root := &cobra.Command{
		Use:                        "retrystorm",
		Short:                      "Simulate retry storms",
		Long:                       rootLong,
		Example:                    rootExample,
		DisableFlagsInUseLine:      true,
		SuggestionsMinimumDistance: 2,
		SilenceErrors:              true,
		SilenceUsage:               true,
		Args:                       unknownCommand,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if version {
				a.version()
				return nil
			}
			return cmd.Help()
		},
	}
	root.Flags().BoolVar(&version, "version", false, "print the versions, as the command does")
	root.AddGroup(
		&cobra.Group{ID: "simulate", Title: "Simulate:"},
		&cobra.Group{ID: "scenarios", Title: "Scenarios:"},
		&cobra.Group{ID: "about", Title: "Look things up:"},
	)
	add := func(group string, commands ...*cobra.Command) {
		for _, c := range commands {
			c.GroupID = group
			c.DisableFlagsInUseLine = true
			root.AddCommand(c)
		}
	}
	add("simulate", a.runCommand(), a.mergeCommand(), a.rankCommand(), a.emitCommand(), a.reproduceCommand(), a.traceCommand(), a.reportCommand(), a.serveCommand(), a.playgroundCommand())
	add("scenarios", a.listCommand(), a.showCommand(), a.initCommand(), a.validateCommand(), a.lintCommand())
	add("about", a.strategiesCommand(), a.delaysCommand(), a.schemaCommand(), a.versionCommand())
	root.SetHelpCommand(helpCommand())
	root.SetHelpCommandGroupID("about")
	root.SetCompletionCommandGroupID("about")
	root.InitDefaultCompletionCmd()
	shells, _, err := root.Find([]string{"completion"})
	if err != nil {
		panic(err) // made in the line above
	}
	// By itself it would take any word for a request for help.
	shells.Args, shells.RunE = unknownCommand, root.RunE
	root.SetFlagErrorFunc(flagError)
	a.noticeRunning(root)
	return root
}

// noticeRunning tells errors of the command line, which cobra finds before a
// command begins, from those of the command itself.
func (a *app) noticeRunning(cmd *cobra.Command) {
	if begin := cmd.RunE; begin != nil {
		cmd.RunE = func(cmd *cobra.Command, args []string) error {
			a.running = true
			return begin(cmd, args)
		}
	}
	for _, c := range cmd.Commands() {
		a.noticeRunning(c)
	}
}

func helpCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "help [COMMAND]",
		Short: "Help about any command",
		Args: func(cmd *cobra.Command, args []string) error {
			if c, rest, err := cmd.Root().Find(args); err != nil || c == cmd.Root() {
				return unknownCommand(cmd.Root(), rest)
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			c, _, err := cmd.Root().Find(args)
			if err != nil {
				return err
			}
			return c.Help()
		},
	}
}

func unknownCommand(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	return fmt.Errorf("unknown command %q%s", args[0], orList(cmd.SuggestionsFor(args[0])))
}

// flagError adds what flag may have been meant.
func flagError(cmd *cobra.Command, err error) error {
	var unknown *pflag.NotExistError
	if !errors.As(err, &unknown) {
		return err
	}
	var names []string
	cmd.Flags().VisitAll(func(f *pflag.Flag) { names = append(names, "--"+f.Name) })
	return fmt.Errorf("%w%s", err, didYouMean("--"+unknown.GetSpecifiedName(), names))
}

// didYouMean suggests names close to a word.
func didYouMean(word string, names []string) string { return orList(closeTo(word, names)) }

// closeTo finds names close to a word, with cobra's idea of closeness.
func closeTo(word string, names []string) []string {
	c := &cobra.Command{SuggestionsMinimumDistance: 2}
	for _, name := range names {
		c.AddCommand(&cobra.Command{Use: name, Run: func(*cobra.Command, []string) {}})
	}
	return c.SuggestionsFor(word)
}

func orList(names []string) string {
	if len(names) == 0 {
		return ""
	}
	return "; did you mean " + strings.Join(names, " or ") + "?"
}

// between demands a number of arguments; what names them in the error. Most
// is -1 where there is no limit.
func between(least, most int, what string) cobra.PositionalArgs {
	return func(_ *cobra.Command, args []string) error {
		switch {
		case len(args) < least:
			return fmt.Errorf("%s is missing", what)
		case most >= 0 && len(args) > most:
			return fmt.Errorf("one argument too many: %q", args[most])
		}
		return nil
	}
}
