package state

import "fmt"

// TwoWays reads a run by hand and by encoding/json, and returns what encoding/json writes of both. read is false where it is not read by
// hand.
func TwoWays(run []byte) (byHand, byJSON []byte, read bool, err error) {
	w, read := readRun(string(run))
	if !read {
		return nil, nil, false, nil
	}
	var slow *wireRun
	if err := strict(run, &slow); err != nil {
		return nil, nil, true, fmt.Errorf("not read by encoding/json: %w", err)
	}
	if byHand, err = marshal(w); err == nil {
		byJSON, err = marshal(slow)
	}
	return byHand, byJSON, true, err
}
