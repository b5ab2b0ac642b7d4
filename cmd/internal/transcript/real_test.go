package transcript_test

import (
	"errors"
	"io"
	"testing"

	"github.com/aside-go/aside/cmd/internal/transcript"
	"github.com/aside-go/aside/internal/agent/session"
)

// all reads a file to its end.
func all(t testing.TB, f transcript.File) ([]*session.Turn, *transcript.Reader) {
	t.Helper()
	opened, err := f.Open()
	if err != nil {
		t.Fatal(err)
	}
	defer opened.Close()
	turns, r, err := drain(opened, f.Path, f.Thread)
	if err != nil {
		t.Fatal(err)
	}
	return turns, r
}

func drain(src io.Reader, name, thread string) ([]*session.Turn, *transcript.Reader, error) {
	r := transcript.NewReader(src, name, thread)
	var turns []*session.Turn
	for {
		turn, err := r.Next()
		if errors.Is(err, io.EOF) {
			return turns, r, nil
		}
		if err != nil {
			return turns, r, err
		}
		turns = append(turns, turn)
	}
}

func find(t testing.TB, paths ...string) []transcript.File {
	t.Helper()
	files, err := transcript.Find(nil, paths...)
	if err != nil {
		t.Fatal(err)
	}
	return files
}
