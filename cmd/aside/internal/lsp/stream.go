package lsp

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"sync"

	"github.com/sourcegraph/jsonrpc2"

	"github.com/aside-go/aside/internal/jsonscan"
)

// maxMessage is how many bytes a message may have. A text is sent whole when it is opened, and 64 MiB is far
// more than any text that is served.
const maxMessage = 64 << 20

// stream is a jsonrpc2.ObjectStream with the headers of the Language Server Protocol. Input that is no
// message is answered with an error and skipped.
type stream struct {
	r *bufio.Reader
	c io.Closer

	mu sync.Mutex // one message at a time
	w  io.Writer
}

var _ jsonrpc2.ObjectStream = (*stream)(nil)

func newStream(r io.ReadCloser, w io.Writer) *stream {
	return &stream{r: bufio.NewReaderSize(r, 1<<16), c: r, w: w}
}

// Close implements io.Closer. It ends a waiting ReadObject if closing the reader does.
func (s *stream) Close() error { return s.c.Close() }

// WriteObject implements jsonrpc2.ObjectStream.
func (s *stream) WriteObject(v any) error {
	body, err := jsonscan.Encode(v)
	if err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	msg := append(fmt.Appendf(nil, "Content-Length: %d\r\n\r\n", len(body)), body...)
	_, err = s.w.Write(msg)
	return err
}

// ReadObject implements jsonrpc2.ObjectStream.
func (s *stream) ReadObject(v any) error {
	for {
		body, bad, err := s.frame()
		switch {
		case err != nil:
			return err
		case bad != "":
			err = s.refuse(jsonrpc2.CodeParseError, bad)
		case !json.Valid(body):
			err = s.refuse(jsonrpc2.CodeParseError, "not JSON")
		default:
			wrong := json.Unmarshal(body, v)
			if wrong == nil {
				return nil
			}
			err = s.refuse(jsonrpc2.CodeInvalidRequest, "neither a request nor a response: "+wrong.Error())
		}
		if err != nil {
			return err
		}
	}
}

// refuse answers input that is no message with an error. The error's id is null, since no request is known;
// jsonrpc2's own responses cannot have a null id.
func (s *stream) refuse(code int64, why string) error {
	type wrong struct {
		Code    int64  `json:"code"`
		Message string `json:"message"`
	}
	return s.WriteObject(struct {
		Version string `json:"jsonrpc"`
		ID      *int   `json:"id"`
		Error   wrong  `json:"error"`
	}{"2.0", nil, wrong{code, why}})
}

// frame reads one message. A line that is no header is skipped, so that reading recovers after garbage. bad
// says why the message cannot be read; it was skipped then.
func (s *stream) frame() (body []byte, bad string, err error) {
	length, given := -1, false
	for {
		line, err := s.line()
		if err != nil {
			return nil, "", err
		}
		if line == "" {
			break
		}
		if name, value, ok := strings.Cut(line, ":"); ok && strings.EqualFold(strings.TrimSpace(name),
			"Content-Length") {
			given = true
			if length, err = strconv.Atoi(strings.TrimSpace(value)); err != nil {
				length = -1
			}
		}
	}
	switch {
	case !given:
		return nil, "a message without Content-Length", nil
	case length < 0:
		return nil, "a Content-Length that is not a length", nil
	case length > maxMessage:
		if _, err := io.CopyN(io.Discard, s.r, int64(length)); err != nil {
			return nil, "", unexpected(err)
		}
		return nil, fmt.Sprintf("a message of %d bytes, and %d are allowed", length, maxMessage), nil
	}
	var b bytes.Buffer // grows with the bytes that come, whatever length was announced
	if _, err := io.CopyN(&b, s.r, int64(length)); err != nil {
		return nil, "", unexpected(err)
	}
	return b.Bytes(), "", nil
}

// line reads a line of a header, without its line end. Of a long line it returns the beginning.
func (s *stream) line() (string, error) {
	var line []byte
	for {
		part, err := s.r.ReadSlice('\n')
		if len(line) < 1<<10 {
			line = append(line, part...)
		}
		switch {
		case err == nil:
			return strings.TrimRight(string(line), "\r\n"), nil
		case !errors.Is(err, bufio.ErrBufferFull):
			return "", err
		}
	}
}

func unexpected(err error) error {
	if err == io.EOF {
		return io.ErrUnexpectedEOF
	}
	return err
}
