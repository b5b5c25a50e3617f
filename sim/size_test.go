package sim

import "unsafe"

// A slot is two cache lines: this does not compile if not.
var _ [128]byte = [unsafe.Sizeof(slot{})]byte{}
