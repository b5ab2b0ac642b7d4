package proxy

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"mime"
	"net/http"
	"slices"

	"github.com/aside-go/aside/cmd/aside/internal/evaljson"
	"github.com/aside-go/aside/eval"
	"github.com/aside-go/aside/internal/near"
)

// linesType is the media type with which a client sends line by line, waiting for the answer to each.
const linesType = "application/x-ndjson"

// evaluate is POST /aside/eval. It takes the lines of "aside eval" and gives their answers; a body of any other media type may also be
// one object on several lines. A line that names no run is of a run of this request alone.
func (p *Proxy) evaluate(w http.ResponseWriter, r *http.Request) {
	set := p.opts.Eval.Set()
	s := evaljson.Server{Eval: p.opts.Eval, Unnamed: eval.New(set, eval.Options{Clock: p.opts.Now}), Schema: set.Schema()}
	if kind, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type")); kind == linesType || kind == "application/jsonl" {
		rc := http.NewResponseController(w)
		_ = rc.EnableFullDuplex() // HTTP/2 has it
		w.Header().Set("Content-Type", linesType)
		p.serve(s.Serve(r.Context(), r.Body, flushed{w, rc}))
		return
	}
	body, ok := p.read(w, r)
	if !ok {
		return
	}
	w.Header().Set("Content-Type", "application/json")
	var one bytes.Buffer
	if json.Compact(&one, body) == nil {
		body = one.Bytes()
	} else {
		w.Header().Set("Content-Type", linesType)
	}
	p.serve(s.Serve(r.Context(), bytes.NewReader(body), w))
}

// serve logs that a client left before its answer.
func (p *Proxy) serve(err error) {
	if err != nil {
		p.log.Debug("client gone", "path", ownPrefix+"eval")
	}
}

// flushed sends each answer at once.
type flushed struct {
	io.Writer
	rc *http.ResponseController
}

func (f flushed) Write(b []byte) (int, error) {
	n, err := f.Writer.Write(b)
	return n, errors.Join(err, f.rc.Flush())
}

// read reads the body of a request to the proxy itself. Where it cannot, it answers, and ok is false.
func (p *Proxy) read(w http.ResponseWriter, r *http.Request) (body []byte, ok bool) {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, evaljson.MaxLine))
	var long *http.MaxBytesError
	switch {
	case errors.As(err, &long):
		p.fail(w, r, http.StatusRequestEntityTooLarge, "the body is too long")
	case err != nil:
		p.fail(w, r, http.StatusBadRequest, "the body could not be read")
	}
	return body, err == nil
}

// remind is POST /aside/remind {"run","name"}: a reminder goes out on the run's next turn that can carry text.
func (p *Proxy) remind(w http.ResponseWriter, r *http.Request) {
	body, ok := p.read(w, r)
	if !ok {
		return
	}
	var in struct {
		Run  string `json:"run"`
		Name string `json:"name"`
	}
	dec := json.NewDecoder(bytes.NewReader(body))
	dec.DisallowUnknownFields()
	if dec.Decode(&in) != nil || in.Name == "" || dec.Decode(&struct{}{}) != io.EOF {
		p.fail(w, r, http.StatusBadRequest, `not an object such as {"run":"…","name":"…"}`)
		return
	}
	if names := p.opts.Eval.Names(); !slices.Contains(names, in.Name) {
		p.no(w, "there is no reminder of that name", near.Names(in.Name, names))
		return
	}
	run, ok := p.pick(w, r, in.Run)
	if !ok {
		return
	}
	if err := p.opts.Eval.Remind(r.Context(), run, in.Name); err != nil {
		p.stateFailed(w, r, err)
		return
	}
	p.log.Info("reminded", "run", clip(run), "reminder", in.Name)
	write(w, http.StatusOK, struct {
		Run  string `json:"run"`
		Name string `json:"name"`
	}{run, in.Name})
}

// no answers that something is not there, with suggestions of what is.
func (p *Proxy) no(w http.ResponseWriter, message string, near []string) {
	if near == nil {
		near = []string{}
	}
	message = "aside: " + message
	write(w, http.StatusNotFound, map[string]any{
		"type": "error", "error": map[string]any{"type": "not_found_error", "message": message, "suggestions": near}, "message": message,
	})
}
