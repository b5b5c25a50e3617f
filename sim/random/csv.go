package random

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"time"
)

// MaxRows is how many rows of a CSV file are read at most.
const MaxRows = 10_000_000

// ReadTimes reads the start times of a trace: the column t_s of a CSV file with
// a header, in seconds and ascending. Other columns are ignored.
func ReadTimes(r io.Reader) ([]time.Duration, error) {
	last := time.Duration(0)
	return readColumn(r, "t_s", func(t time.Duration) error {
		if t < last {
			return fmt.Errorf("is before the row above (%v); times must ascend", last.Seconds())
		}
		last = t
		return nil
	})
}

// ReadValues reads the values of an empirical distribution: the column seconds
// of a CSV file with a header. Other columns are ignored.
func ReadValues(r io.Reader) ([]time.Duration, error) {
	return readColumn(r, "seconds", func(time.Duration) error { return nil })
}

// readColumn reads a column of seconds and rounds to nanoseconds. check may
// refuse a value.
func readColumn(r io.Reader, name string, check func(time.Duration) error) ([]time.Duration, error) {
	rows := csv.NewReader(r)
	rows.ReuseRecord = true
	rows.TrimLeadingSpace = true
	header, err := rows.Read()
	if errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("line 1: the file is empty; it must begin with a header that has a column %s", name)
	} else if err != nil {
		return nil, err
	}
	column, err := findColumn(header, name)
	if err != nil {
		return nil, err
	}
	var times []time.Duration
	for {
		row, err := rows.Read()
		if errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return nil, err // names the line
		}
		line, _ := rows.FieldPos(column)
		if len(times) == MaxRows {
			return nil, fmt.Errorf("line %d: more than %d rows", line, MaxRows)
		}
		t, err := parseSeconds(row[column])
		if err == nil {
			err = check(t)
		}
		if err != nil {
			return nil, fmt.Errorf("line %d: %s %q %w", line, name, row[column], err)
		}
		times = append(times, t)
	}
	if len(times) == 0 {
		return nil, fmt.Errorf("line 1: no rows below the header")
	}
	return times, nil
}

// findColumn is the place of a column in the header.
func findColumn(header []string, name string) (int, error) {
	found := -1
	for i, h := range header {
		if i == 0 {
			h = strings.TrimPrefix(h, "\ufeff") // spreadsheets write a byte order mark
		}
		if strings.TrimSpace(h) != name {
			continue
		}
		if found >= 0 {
			return 0, fmt.Errorf("line 1: the header has the column %s twice", name)
		}
		found = i
	}
	if found < 0 {
		return 0, fmt.Errorf("line 1: the header has no column %s, only %q", name, strings.Join(header, ","))
	}
	return found, nil
}

func parseSeconds(text string) (time.Duration, error) {
	x, err := strconv.ParseFloat(strings.TrimSpace(text), 64)
	switch {
	case err != nil && !errors.Is(err, strconv.ErrRange), math.IsNaN(x):
		return 0, errors.New("is not a number of seconds")
	case x < 0:
		return 0, errors.New("must not be negative")
	case x > Max.Seconds():
		return 0, fmt.Errorf("must be at most %v", Max.Seconds())
	}
	return nanoseconds(x * 1e9), nil
}
