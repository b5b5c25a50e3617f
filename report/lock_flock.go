//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package report

import (
	"errors"
	"os"
	"syscall"
)

// acquire takes the lock; the system lets go of it when the process ends, in
// whatever way.
func acquire(path string) (*lock, error) {
	for {
		f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o666)
		if err != nil {
			return nil, err
		}
		if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
			f.Close()
			if errors.Is(err, syscall.EWOULDBLOCK) {
				return nil, errLocked
			}
			return nil, err
		}
		// The holder before us may have removed the name in between.
		ours, err1 := f.Stat()
		there, err2 := os.Stat(path)
		if err1 == nil && err2 == nil && os.SameFile(ours, there) {
			return &lock{f, path}, nil
		}
		f.Close()
	}
}

func (l *lock) release() error {
	os.Remove(l.path) // while it is ours
	return l.file.Close()
}
