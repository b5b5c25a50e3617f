//go:build !(darwin || dragonfly || freebsd || linux || netbsd || openbsd || windows)

package report

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
)

// acquire takes the lock by making a file that must not exist. A process that
// dies leaves it behind, so the message says what to remove.
func acquire(path string) (*lock, error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o666)
	if errors.Is(err, fs.ErrExist) {
		return nil, fmt.Errorf("%w; if it no longer runs, remove %s", errLocked, path)
	}
	if err != nil {
		return nil, err
	}
	return &lock{f, path}, nil
}

func (l *lock) release() error {
	err := l.file.Close()
	if e := os.Remove(l.path); err == nil {
		err = e
	}
	return err
}
