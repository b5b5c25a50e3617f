package main

import (
	"errors"
	"io/fs"
	"os"
	"regexp"
	"strings"

	"github.com/spf13/cobra"

	"retrystorm/scenarios"
)

func (a *app) initCommand() *cobra.Command {
	var force bool
	cmd := &cobra.Command{
		Use:   "init NAME [--force]",
		Short: "Write NAME.yaml to start from",
		Long: `Write NAME.yaml: a copy of the built-in scenario of that name, or a small
scenario with comments to start your own from.`,
		Example: `  retrystorm init my-service
  retrystorm init recovering-server --force`,
		Args:              between(1, 1, "a NAME"),
		ValidArgsFunction: completeBuiltin,
		RunE: func(_ *cobra.Command, args []string) error {
			return a.init(args[0], force)
		},
	}
	cmd.Flags().BoolVar(&force, "force", false, "replace the file if there is one")
	return cmd
}

func (a *app) init(name string, force bool) error {
	text, from := strings.ReplaceAll(starter, "NAME", name), "a small scenario to start from"
	if b, ok := scenarios.Builtin(name); ok {
		text, from = string(b.Source), "a copy of the built-in scenario"
	} else if !regexp.MustCompile(`^[a-z][a-z0-9-]{0,62}$`).MatchString(name) {
		return usagef("%q cannot be the name of a scenario: small letters, digits and -, beginning with a letter", name)
	}
	path := name + ".yaml"
	flags := os.O_WRONLY | os.O_CREATE | os.O_TRUNC
	if !force {
		flags |= os.O_EXCL
	}
	file, err := os.OpenFile(path, flags, 0o666)
	switch {
	case errors.Is(err, fs.ErrExist):
		return usagef("%s is there already; --force replaces it", path)
	case err != nil:
		return err
	}
	_, err = file.WriteString(text)
	if e := file.Close(); err == nil {
		err = e
	}
	if err != nil {
		return err
	}
	a.notef("%s: %s; next: retrystorm run %s", path, from, path)
	return nil
}

// starter is a scenario that shows one of everything.
const starter = `# Everything here can be changed from the command line too, for example
#   retrystorm run NAME.yaml --set clients.arrival.rate=400/s
# Completion and help in editors: retrystorm schema --help
name: NAME
title: What happens to my service when its database is down for 5 s?
seed: 1
replications: 5
until: 4m                        # virtual time: every run ends here

clients:
  arrival: poisson 200/s         # new requests keep coming, whatever happens
  calls: db
  policy: app
  network: 2ms                   # one way

services:
  db:
    workers: 10                  # serve one call each; the others wait
    service_time: lognormal 20ms cv 0.5
    queue: 1000 full 503         # more than 1000 waiting: answer 503 at once
    faults:
      outage: down at 60s for 5s answer refused

policies:
  app:
    timeout: 1s                  # per attempt
    max_attempts: 8              # the first try and 7 retries
    retry_on: [timeout, refused, 5xx]
    backoff: full-jitter 100ms cap 5s

# What to compare: each variant changes some values, {} none.
variants:
  as-is: {}
  no-retries: {policies.app.max_attempts: 1}
  at-once: {policies.app.backoff.kind: none}

# What must hold; the exit code is 3 if it does not.
expect:
  - total_calls[no-retries] < total_calls[as-is]
`
