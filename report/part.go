package report

import (
	"bytes"
	"crypto/sha256"
	"encoding/gob"

	"retrystorm/experiment"
)

// A part is a checksum and a point in gob, which keeps NaN and every bit.

func encodePart(p experiment.Point) ([]byte, error) {
	var body bytes.Buffer
	if err := gob.NewEncoder(&body).Encode(p); err != nil {
		return nil, err
	}
	sum := sha256.Sum256(body.Bytes())
	return append(sum[:], body.Bytes()...), nil
}

func decodePart(b []byte) (p experiment.Point, ok bool) {
	if len(b) < sha256.Size {
		return p, false
	}
	body := b[sha256.Size:]
	if sum := sha256.Sum256(body); !bytes.Equal(sum[:], b[:sha256.Size]) {
		return p, false
	}
	err := gob.NewDecoder(bytes.NewReader(body)).Decode(&p)
	return p, err == nil
}
