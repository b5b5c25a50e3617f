package report

import (
	"errors"
	"os"

	"golang.org/x/sys/windows"
)

// acquire takes the lock; the system lets go of it when the process ends, in
// whatever way.
func acquire(path string) (*lock, error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o666)
	if err != nil {
		return nil, err
	}
	err = windows.LockFileEx(windows.Handle(f.Fd()),
		windows.LOCKFILE_EXCLUSIVE_LOCK|windows.LOCKFILE_FAIL_IMMEDIATELY, 0, 1, 0, new(windows.Overlapped))
	if err != nil {
		f.Close()
		if errors.Is(err, windows.ERROR_LOCK_VIOLATION) || errors.Is(err, windows.ERROR_IO_PENDING) {
			return nil, errLocked
		}
		return nil, err
	}
	return &lock{f, path}, nil
}

// release lets go of the lock. An open file cannot be removed here, and one that
// another process has opened since cannot either: it stays.
func (l *lock) release() error {
	err := l.file.Close()
	os.Remove(l.path)
	return err
}
