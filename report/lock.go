package report

import (
	"errors"
	"os"
)

// errLocked says that another process works on the same folder.
var errLocked = errors.New("another process is writing it")

// lock is a file that one process holds.
type lock struct {
	file *os.File
	path string
}
