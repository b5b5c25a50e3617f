package main

import (
	"errors"
	"fmt"
	"net"
	"net/netip"
	"os"
	"os/exec"
	"runtime"
	"runtime/debug"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"retrystorm/cmd/retrystorm/internal/forecast"
	"retrystorm/cmd/retrystorm/internal/play"
	"retrystorm/cmd/retrystorm/internal/site"
)

// serveFlags are the flags of serve.
type serveFlags struct {
	addr         string
	jobs         int
	remote, open bool
}

func (a *app) serveCommand() *cobra.Command {
	var f serveFlags
	cmd := &cobra.Command{
		Use:   "serve [--addr HOST:PORT]",
		Short: "Serve a page to change scenarios and see what happens",
		Long: `Serve a page on which scenarios are picked, changed and run, with charts that
fill in while they do. It prints the address of the page, and goes on until it
is interrupted. The page needs no network, and what it runs has the same bytes
as what run writes.

Only this machine can reach it. Another address needs --allow-remote, too:
whoever reaches the page can make this machine work, and there is no password.

It reads and writes no files; scenarios that read data files are for run. Runs
that are too large for a page are refused, and say what would do.`,
		Example: `  retrystorm serve
  retrystorm serve --addr 127.0.0.1:0 --open`,
		Args: between(0, 0, ""),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := checkJobs(f.jobs); err != nil {
				return err
			}
			host, err := f.host()
			if err != nil {
				return err
			}
			return a.serve(&f, host)
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&f.addr, "addr", "127.0.0.1:8787", "`HOST:PORT` to listen at; port 0 takes one that is free")
	flags.BoolVar(&f.remote, "allow-remote", false, "listen at an address that other machines reach, without a password")
	flags.BoolVar(&f.open, "open", false, "open the page in a browser")
	flags.IntVar(&f.jobs, "jobs", 0, "`number` of processor cores to use (default: all)")
	return cmd
}

// host is the name in --addr, which leads to this machine only unless that is
// wanted.
func (f *serveFlags) host() (string, error) {
	host, port, err := net.SplitHostPort(f.addr)
	if err != nil || port == "" {
		return "", usagef("--addr %s: write HOST:PORT, as in 127.0.0.1:8787", f.addr)
	}
	if host == "" {
		return "", usagef("--addr %s: the host is missing, which would be every address of this machine; write 127.0.0.1:%s", f.addr, port)
	}
	if !f.remote && !loopback(host) {
		return "", usagef("--addr %s: other machines could reach this address, and make this one work; --allow-remote allows it", f.addr)
	}
	return host, nil
}

// loopback reports whether a name leads to this machine and from nowhere else.
func loopback(host string) bool {
	if strings.EqualFold(host, "localhost") {
		return true
	}
	ip, err := netip.ParseAddr(host)
	return err == nil && ip.Unmap().IsLoopback()
}

func (a *app) serve(f *serveFlags, host string) error {
	interrupted, release := watchSignals()
	defer release()
	l, err := net.Listen("tcp", f.addr)
	if err != nil {
		return &exitError{exitUsage, fmt.Errorf("--addr %s: %w%s", f.addr, listenReason(err), inUse(err))}
	}
	jobs := f.jobs
	if jobs == 0 {
		jobs = runtime.GOMAXPROCS(0)
	}
	memory := forecast.MemoryLimit()
	if memory > 0 {
		defer debug.SetMemoryLimit(debug.SetMemoryLimit(int64(memory / 10 * 9))) // tidy up before a run has to stop
	}
	opt := site.Usual(play.Limits{
		Jobs: jobs, Memory: memory, Points: 5000, Calls: 1e10, Kept: 512 << 20, Ask: 20,
	})
	opt.Remote, opt.Hosts = f.remote, []string{host}
	opt.Complain = func(text string) { a.notef("retrystorm: %s", text) }
	if name, err := os.Hostname(); err == nil && f.remote {
		opt.Hosts = append(opt.Hosts, name)
	}
	if f.remote && !loopback(host) {
		a.notef("warning: whoever reaches %s can make this machine work; there is no password", l.Addr())
	}
	url := "http://" + l.Addr().String() + "/"
	a.printf("%s\n", url)
	if err := a.stdout.Flush(); err != nil {
		l.Close()
		return fmt.Errorf("standard output: %w", reason(err))
	}
	a.notef("Ctrl-C ends it")
	if f.open {
		a.openPage(url)
	}
	server := site.NewServer(opt)
	served := make(chan error, 1)
	go func() { served <- server.Serve(l) }()
	select {
	case err := <-served:
		return err
	case <-interrupted.stop:
		server.Stop()
		<-served
		return interrupted.error("")
	}
}

// listenReason leaves the address out of an error, which the flag has.
func listenReason(err error) error {
	var op *net.OpError
	if errors.As(err, &op) {
		err = op.Err
	}
	var call *os.SyscallError
	if errors.As(err, &call) {
		err = call.Err
	}
	return err
}

// inUse says what helps when a port is taken. Windows has a number of its own for
// that, and a text in the language of its user.
func inUse(err error) string {
	const windows = syscall.Errno(10048) // WSAEADDRINUSE
	if !errors.Is(err, syscall.EADDRINUSE) && !errors.Is(err, windows) {
		return ""
	}
	return "; port 0 takes one that is free"
}

// openPage opens the page in a browser, as the system does that.
func (a *app) openPage(url string) {
	words := []string{"xdg-open", url}
	switch runtime.GOOS {
	case "darwin":
		words[0] = "open"
	case "windows":
		words = []string{"rundll32", "url.dll,FileProtocolHandler", url}
	}
	cmd := exec.Command(words[0], words[1:]...)
	if err := cmd.Start(); err != nil {
		a.notef("no browser can be opened: %v", err)
		return
	}
	go func() { _ = cmd.Wait() }()
}
