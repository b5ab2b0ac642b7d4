package client

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
)

// events returns the data of each of the server-sent events in b.
func events(b []byte) [][]byte {
	var out [][]byte
	for _, e := range bytes.Split(bytes.ReplaceAll(b, []byte("\r\n"), []byte("\n")), []byte("\n\n")) {
		for _, line := range bytes.Split(e, []byte("\n")) {
			if data, ok := bytes.CutPrefix(line, []byte("data: ")); ok {
				out = append(out, data)
			}
		}
	}
	return out
}

// each decodes events and calls do for each of them. It stops at one that is not JSON.
func each[T any](list [][]byte, do func(T)) error {
	for _, b := range list {
		var v T
		if json.Unmarshal(b, &v) != nil {
			return errGarbled
		}
		do(v)
	}
	return nil
}

// decode reads one JSON value.
func decode[T any](b []byte) (v T, err error) {
	if json.Unmarshal(b, &v) != nil {
		return v, errGarbled
	}
	return v, nil
}

// frames returns the names and payloads of AWS's binary events in b, as far as these are whole.
func frames(b []byte) (names []string, payloads [][]byte) {
	for len(b) >= 16 {
		total, head := int(binary.BigEndian.Uint32(b)), int(binary.BigEndian.Uint32(b[4:]))
		if total > len(b) || 12+head+4 > total {
			return names, payloads
		}
		name := ""
		for h := b[12 : 12+head]; len(h) > 0; {
			k := int(h[0])
			v := int(binary.BigEndian.Uint16(h[2+k:]))
			if string(h[1:1+k]) == ":event-type" {
				name = string(h[4+k : 4+k+v])
			}
			h = h[4+k+v:]
		}
		names, payloads = append(names, name), append(payloads, b[12+head:total-4])
		b = b[total:]
	}
	return names, payloads
}
