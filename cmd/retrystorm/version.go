package main

import (
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"

	"retrystorm/report"
)

// The linker sets both in a release, which has to have the same bytes wherever it
// is built; what Go finds out about a checkout depends on its tags.
var released, commit string

func (a *app) versionCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Print the versions of the program and of its results",
		Long: `Print the version of the program, what it was built from and with, and the
results version: results with the same one can be compared with each other.`,
		Example: `  retrystorm version`,
		Args:    between(0, 0, ""),
		RunE: func(*cobra.Command, []string) error {
			a.version()
			return nil
		},
	}
}

func (a *app) version() {
	version, revision, modified := "unknown", "", ""
	if info, ok := debug.ReadBuildInfo(); ok {
		if info.Main.Version != "" {
			version = info.Main.Version
		}
		for _, s := range info.Settings {
			switch {
			case s.Key == "vcs.revision":
				revision = s.Value
			case s.Key == "vcs.modified" && s.Value == "true":
				modified = ", modified"
			}
		}
	}
	if released != "" {
		version, revision = released, commit
	}
	a.printf("retrystorm %s\n", version)
	if revision != "" {
		a.printf("revision %s%s\n", revision, modified)
	}
	a.printf("%s %s/%s\n", runtime.Version(), runtime.GOOS, runtime.GOARCH)
	a.printf("results version %d\n", report.ResultsVersion)
}
