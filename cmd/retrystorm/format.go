package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"
	"syscall"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"retrystorm/experiment"
	"retrystorm/report"
)

// formatFlag is a flag with a few words as values, the first the default.
type formatFlag struct {
	value   string
	allowed []string
}

func (f *formatFlag) add(cmd *cobra.Command) {
	cmd.Flags().Var(f, "format", "`format` of the output: "+strings.Join(f.allowed, ", "))
	complete := cobra.FixedCompletions(f.allowed, cobra.ShellCompDirectiveNoFileComp)
	if err := cmd.RegisterFlagCompletionFunc("format", complete); err != nil {
		panic(err) // the flag was added above
	}
}

func (f *formatFlag) String() string { return f.value }
func (f *formatFlag) Type() string   { return "format" }

func (f *formatFlag) Set(s string) error {
	if slices.Contains(f.allowed, s) {
		f.value = s
		return nil
	}
	return errors.New("it must be " + strings.Join(f.allowed, " or "))
}

// resultFormats are the formats of a result on standard output.
func resultFormats() formatFlag {
	return formatFlag{"table", []string{"table", "csv", "json"}}
}

// printResult writes a result to standard output, at once. That nobody reads
// it any more is no reason to stop: there may be files to write.
func (a *app) printResult(r *experiment.Result, format string) error {
	err := a.render(r, format)
	if err == nil {
		err = a.stdout.Flush()
	}
	if errors.Is(err, syscall.EPIPE) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("standard output: %w", reason(err))
	}
	return nil
}

func (a *app) render(r *experiment.Result, format string) error {
	switch format {
	case "csv":
		return report.Summary(a.stdout, r)
	case "json":
		return report.JSON(a.stdout, r)
	}
	return report.Table(a.stdout, r, a.tableOptions())
}

// tableOptions fit a table to the terminal, if it goes to one.
func (a *app) tableOptions() report.TableOptions {
	if _, ok := terminalWidth(a.terminal); !ok {
		return report.TableOptions{Width: a.width()}
	}
	rich := a.getenv("NO_COLOR") == "" && a.getenv("TERM") != "dumb"
	return report.TableOptions{
		Width:  a.width(),
		ASCII:  !a.speaksUTF8(),
		Color:  rich,
		Blocks: rich && a.speaksUTF8(),
	}
}

// width is how many columns a line may have: what COLUMNS says, or the terminal;
// 0 where neither does, as in a pipe.
func (a *app) width() int {
	if n, err := strconv.Atoi(a.getenv("COLUMNS")); err == nil && n > 0 {
		return n
	}
	width, _ := terminalWidth(a.terminal)
	return width
}

// proseWidth is that of texts that are only read.
func (a *app) proseWidth() int {
	if n := a.width(); n > 0 {
		return n
	}
	return 80
}

// terminalWidth is the width of the terminal that w is, if it is one.
func terminalWidth(w io.Writer) (int, bool) {
	f, ok := w.(*os.File)
	if !ok || !term.IsTerminal(int(f.Fd())) {
		return 0, false
	}
	width, _, err := term.GetSize(int(f.Fd()))
	if err != nil {
		width = 0
	}
	return width, true
}

// speaksUTF8 reads the locale as the C library does.
func (a *app) speaksUTF8() bool {
	for _, name := range []string{"LC_ALL", "LC_CTYPE", "LANG"} {
		if v := strings.ToUpper(a.getenv(name)); v != "" {
			return strings.Contains(v, "UTF-8") || strings.Contains(v, "UTF8")
		}
	}
	return true
}
