package main

import (
	"os"

	"github.com/spf13/cobra"

	"retrystorm/report"
)

func (a *app) reportCommand() *cobra.Command {
	var out string
	var force bool
	format := resultFormats()
	cmd := &cobra.Command{
		Use:   "report DIR [-o DIR]",
		Short: "Render a stored result again",
		Long: `Read a result that run -o has written, print its table, and write its tables,
plots and report.html again, without simulating: into the same folder, or with
-o into another.
The exit code is 0 whether its expectations hold or not.`,
		Example: `  retrystorm report results
  retrystorm report results --format json
  retrystorm report results -o fresh`,
		Args: between(1, 1, "a DIR"),
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			return nil, cobra.ShellCompDirectiveFilterDirs
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := named(cmd, out); err != nil {
				return err
			}
			if force && out == "" {
				return usagef("--force is for -o DIR")
			}
			return a.report(args[0], out, format.value, force)
		},
	}
	cmd.Flags().StringVarP(&out, "output", "o", "", "write to `DIR` instead")
	cmd.Flags().BoolVar(&force, "force", false, "replace the result in the folder of -o")
	format.add(cmd)
	return cmd
}

func (a *app) report(dir, out, format string, force bool) error {
	if err := folderError(report.Recover(dir), new(bool)); err != nil {
		return err
	}
	if st, err := os.Stat(dir); err != nil || !st.IsDir() {
		return usagef("there is no folder %s", dir)
	}
	r, err := report.Read(os.DirFS(dir))
	if err != nil {
		return usagef("%s: %w", dir, err)
	}
	opt := report.FolderOptions{Force: force}
	if out == "" {
		out, opt.Again = dir, true
	}
	complete := false
	folder, err := report.Open(out, report.IdentityOf(r), opt)
	if err := folderError(err, &complete); err != nil {
		return err
	}
	if !complete {
		defer folder.Close()
		if err := folder.Commit(report.Files(r)); err != nil {
			return err
		}
	}
	return a.printResult(r, format)
}
