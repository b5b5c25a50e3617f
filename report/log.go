package report

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"os"
	"sync"
	"time"

	"github.com/klauspost/compress/zstd"
)

// pointLog is points.log: what a run has finished, record after record.
//
//	logMagic
//	record: key length, payload length (4 bytes each), form (1 byte),
//	        key, payload, CRC-32C of all of these (4 bytes)
//
// Numbers are little endian. A record is written by one call and no byte of it
// is ever changed, so that after a crash all records are good but perhaps the
// last ones: where the first bad one begins, the file is cut off.
type pointLog struct {
	path string
	file *os.File

	mu    sync.RWMutex
	end   int64
	spans map[string]span
	keys  []string // in the order of the file
	dirty bool     // there is what may not be on disk yet
	err   error    // a failure to write, which stays

	wake chan struct{} // nil: no goroutine waits for the disk
	quit chan struct{}
	done chan struct{}
}

// span is where a payload stands.
type span struct {
	at       int64
	size     int
	zstd     bool
	checksum uint32
	head     uint32 // checksum of what stands before the payload
}

const (
	logMagic   = "retrystorm points\n"
	recordHead = 9
	recordTail = 4
	// pause is between two waits for the disk: what was finished in it is lost
	// when the power fails, and is run again.
	pause = 100 * time.Millisecond
)

const (
	formRaw  = 0
	formZstd = 1
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

var errClosed = errors.New("it is closed")

// openLog opens a log to read and to add to, or begins one. What is damaged is
// cut off.
func openLog(path string) (*pointLog, error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o666)
	if err != nil {
		return nil, err
	}
	l := &pointLog{path: path, file: f}
	if err := l.restore(); err != nil {
		f.Close()
		return nil, err
	}
	return l, nil
}

func (l *pointLog) restore() error {
	size, err := l.scan(nil)
	var bad *recordError
	if err != nil && !errors.As(err, &bad) {
		return err
	}
	if l.end == 0 {
		if _, err := l.file.WriteAt([]byte(logMagic), 0); err != nil {
			return err
		}
		l.end = int64(len(logMagic))
	}
	if size > l.end {
		if err := l.file.Truncate(l.end); err != nil {
			return err
		}
	}
	return l.file.Sync()
}

// holdsRecords reports whether anything was saved in a log.
func holdsRecords(path string) bool {
	f, err := os.Open(path)
	if err != nil {
		return false
	}
	defer f.Close()
	l := &pointLog{file: f}
	_, _ = l.scan(nil)
	return len(l.keys) > 0
}

// readLog opens a log to read only; damage is an error.
func readLog(path string, copied io.Writer) (*pointLog, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	l := &pointLog{path: path, file: f}
	if _, err := l.scan(copied); err != nil {
		f.Close()
		return nil, err
	}
	return l, nil
}

// recordError says which record is the first that is damaged.
type recordError struct {
	record int // from 1; 0: the file does not begin as a log does
	cut    bool
}

func (e *recordError) Error() string {
	switch {
	case e.record == 0:
		return "it is damaged at its beginning"
	case e.cut:
		return fmt.Sprintf("it ends in the middle of record %d", e.record)
	}
	return fmt.Sprintf("record %d is damaged", e.record)
}

// scan finds the records, up to the first that is damaged, and says how large
// the file is. What is read goes to copied too.
func (l *pointLog) scan(copied io.Writer) (size int64, err error) {
	st, err := l.file.Stat()
	if err != nil {
		return 0, err
	}
	size = st.Size()
	l.spans = map[string]span{}
	var in io.Reader = io.NewSectionReader(l.file, 0, size)
	if copied != nil {
		in = io.TeeReader(in, copied)
	}
	r := bufio.NewReaderSize(in, 1<<20)
	magic := make([]byte, len(logMagic))
	if _, err := io.ReadFull(r, magic); err != nil || string(magic) != logMagic {
		return size, orDamage(err, &recordError{})
	}
	l.end = int64(len(logMagic))
	var body []byte
	for n := 1; l.end < size; n++ {
		left := size - l.end
		head, err := r.Peek(recordHead)
		if err != nil {
			return size, orDamage(err, &recordError{n, true})
		}
		key, payload := int64(binary.LittleEndian.Uint32(head)), int64(binary.LittleEndian.Uint32(head[4:]))
		whole := recordHead + key + payload + recordTail
		if whole > left || head[8] > formZstd {
			return size, &recordError{n, whole > left && head[8] <= formZstd}
		}
		if int64(cap(body)) < whole {
			body = make([]byte, whole)
		}
		body = body[:whole]
		if _, err := io.ReadFull(r, body); err != nil {
			return size, orDamage(err, &recordError{n, true})
		}
		sum := binary.LittleEndian.Uint32(body[whole-recordTail:])
		if crc32.Checksum(body[:whole-recordTail], castagnoli) != sum {
			return size, &recordError{n, false}
		}
		l.note(string(body[recordHead:recordHead+key]), span{
			at: l.end + recordHead + key, size: int(payload), zstd: body[8] == formZstd, checksum: sum,
			head: crc32.Checksum(body[:recordHead+key], castagnoli),
		})
		l.end += whole
	}
	return size, nil
}

// orDamage tells a file that is too short from a disk that fails.
func orDamage(err error, damage *recordError) error {
	if err == nil || errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return damage
	}
	return err
}

func (l *pointLog) note(key string, s span) {
	if _, ok := l.spans[key]; !ok {
		l.keys = append(l.keys, key)
	}
	l.spans[key] = s
}

// save adds a record. Whatever was saved under the key before is forgotten.
func (l *pointLog) save(key string, payload []byte) error {
	form := byte(formRaw)
	if c, err := compressed(payload); err != nil {
		return err
	} else if len(c) < len(payload)-len(payload)/8 {
		form, payload = formZstd, c
	}
	b := make([]byte, 0, recordHead+len(key)+len(payload)+recordTail)
	b = binary.LittleEndian.AppendUint32(b, uint32(len(key)))
	b = binary.LittleEndian.AppendUint32(b, uint32(len(payload)))
	b = append(append(b, form), key...)
	head := crc32.Checksum(b, castagnoli)
	b = append(b, payload...)
	sum := crc32.Checksum(b, castagnoli)
	b = binary.LittleEndian.AppendUint32(b, sum)

	l.mu.Lock()
	defer l.mu.Unlock()
	if l.err != nil {
		return l.err
	}
	if _, err := l.file.WriteAt(b, l.end); err != nil {
		_ = l.file.Truncate(l.end) // so that the next one follows the last good one
		return err
	}
	l.note(key, span{l.end + recordHead + int64(len(key)), len(payload), form == formZstd, sum, head})
	l.end += int64(len(b))
	l.dirty = true
	l.syncSoon()
	return nil
}

// load reads a payload; one that can no longer be read counts as not there.
func (l *pointLog) load(key string) ([]byte, bool) {
	l.mu.RLock()
	defer l.mu.RUnlock()
	s, ok := l.spans[key]
	if !ok || l.file == nil {
		return nil, false
	}
	b := make([]byte, s.size)
	if _, err := l.file.ReadAt(b, s.at); err != nil || crc32.Update(s.head, castagnoli, b) != s.checksum {
		return nil, false
	}
	if !s.zstd {
		return b, true
	}
	b, err := expanded(b)
	return b, err == nil
}

// syncSoon lets a goroutine wait for the disk, so that runs do not: what is
// saved while it waits is covered by the wait that follows.
func (l *pointLog) syncSoon() {
	if l.wake == nil {
		l.wake, l.quit, l.done = make(chan struct{}, 1), make(chan struct{}), make(chan struct{})
		go l.keepSynced()
	}
	select {
	case l.wake <- struct{}{}:
	default:
	}
}

func (l *pointLog) keepSynced() {
	defer close(l.done)
	for {
		select {
		case <-l.quit:
			return
		case <-l.wake:
		}
		_ = l.sync() // its failure is told by the next save
		select {
		case <-l.quit:
			return
		case <-time.After(pause):
		}
	}
}

// sync waits until all records are on disk.
func (l *pointLog) sync() error {
	l.mu.Lock()
	file, dirty, err := l.file, l.dirty, l.err
	l.dirty = false
	l.mu.Unlock()
	if !dirty || err != nil {
		return err
	}
	if err = file.Sync(); err != nil {
		l.mu.Lock()
		l.err = err // what the disk has lost it does not get again
		l.mu.Unlock()
	}
	return err
}

// close waits for the disk and ends the work on the log.
func (l *pointLog) close() error {
	if l.file == nil {
		return nil
	}
	if l.wake != nil {
		close(l.quit)
		<-l.done
	}
	err := l.sync()
	l.mu.Lock()
	defer l.mu.Unlock()
	if e := l.file.Close(); err == nil {
		err = e
	}
	l.file, l.err = nil, errClosed
	return err
}

func (l *pointLog) list() []string {
	l.mu.RLock()
	defer l.mu.RUnlock()
	return append([]string(nil), l.keys...)
}

// codec compresses payloads. Its bytes never get into a result.
var codec = sync.OnceValues(func() (c struct {
	encoder *zstd.Encoder
	decoder *zstd.Decoder
}, err error,
) {
	c.encoder, err = zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithEncoderConcurrency(1), zstd.WithEncoderCRC(false))
	if err == nil {
		c.decoder, err = zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(1<<32))
	}
	return c, err
})

func compressed(b []byte) ([]byte, error) {
	c, err := codec()
	if err != nil {
		return nil, err
	}
	return c.encoder.EncodeAll(b, nil), nil
}

func expanded(b []byte) ([]byte, error) {
	c, err := codec()
	if err != nil {
		return nil, err
	}
	return c.decoder.DecodeAll(b, nil)
}
