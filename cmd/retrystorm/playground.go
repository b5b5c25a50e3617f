package main

import (
	"errors"
	"io/fs"
	"path/filepath"

	"github.com/spf13/cobra"

	"retrystorm/cmd/retrystorm/internal/site"
)

func (a *app) playgroundCommand() *cobra.Command {
	var out, wasm string
	var force bool
	cmd := &cobra.Command{
		Use:   "playground -o DIR",
		Short: "Write a page that runs scenarios in the browser",
		Long: `Write a static page to DIR that does what serve does, with the simulator inside,
as WebAssembly: open DIR/index.html, or put the folder on any web server. It
needs no network, and gives the same numbers as the command; only Parquet files
are left out.

The engine is retrystorm.wasm with wasm_exec.js beside the program, as in a
release, or is built from a checkout with Go; --wasm names another one. A folder
with other files is left alone without --force.`,
		Example: `  retrystorm playground -o playground
  retrystorm playground -o public --wasm engine/retrystorm.wasm`,
		Args: between(0, 0, ""),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := named(cmd, out); err != nil {
				return err
			}
			if out == "" {
				return usagef("playground needs -o DIR: where to write the page")
			}
			return a.playground(out, wasm, force)
		},
	}
	f := cmd.Flags()
	f.StringVarP(&out, "output", "o", "", "write the page to `DIR`")
	f.StringVar(&wasm, "wasm", "", "the engine: a `FILE` with wasm_exec.js beside it")
	f.BoolVar(&force, "force", false, "write among other files, and over those with the same names")
	return cmd
}

func (a *app) playground(out, wasm string, force bool) error {
	if err := folderError(site.CheckFolder(out, force), nil); err != nil {
		return err
	}
	engine, err := findEngine(wasm)
	if err != nil {
		return err
	}
	files, err := site.Playground(engine)
	if err != nil {
		return err
	}
	if err := folderError(site.WriteFolder(out, files, force), nil); err != nil {
		return err
	}
	a.notef("%s: written, with the engine from %s; open %s", out, engine.From, filepath.Join(out, "index.html"))
	return nil
}

func findEngine(file string) (*site.Engine, error) {
	find := site.FindEngine
	if file != "" {
		find = func() (*site.Engine, error) { return site.ReadEngine(file) }
	}
	engine, err := find()
	var none *site.NoEngineError
	if errors.Is(err, fs.ErrNotExist) {
		return nil, usagef("--wasm %s: there is no such file", file)
	}
	if errors.As(err, &none) || err != nil && file != "" {
		return nil, &exitError{exitUsage, err}
	}
	return engine, err
}
