package wire_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"testing"

	"github.com/aside-go/aside/inject/wire"
	"github.com/aside-go/aside/internal/api"
	"github.com/aside-go/aside/internal/request"
)

// BenchmarkAimFacts reads the facts off a body, and what a proxy needs for writing to it besides
// ("and-conversation"), and reports how often the body could have been copied meanwhile (x/copy), and merely
// validated by encoding/json (x/valid).
func BenchmarkAimFacts(b *testing.B) {
	for _, size := range []int{1 << 10, 32 << 10, 1 << 20} {
		for _, s := range []shape{{}, {last: true, keys: true}} {
			reading(b, fmt.Sprintf("%d/%v", size, s), requestOf(size, s))
		}
	}
	b.Run("session", func(b *testing.B) {
		for _, s := range sessions(b) {
			reading(b, s.name, s.body)
		}
	})
}

// reading runs what is ours over a body.
func reading(b *testing.B, name string, body []byte) {
	facts := func() {
		if _, err := request.ReadFacts(request.Incoming{API: wire.Anthropic, Body: body}); err != nil {
			b.Fatal(err)
		}
	}
	both := func() {
		in := request.Incoming{API: wire.Anthropic, Body: body}
		if _, _, err := request.Read(in, wire.Options{}.Machine()); err != nil {
			b.Fatal(err)
		}
	}
	for _, c := range []struct {
		name string
		f    func()
	}{{"facts", facts}, {"and-conversation", both}} {
		b.Run(name+"/"+c.name, func(b *testing.B) {
			b.ReportAllocs()
			b.SetBytes(int64(len(body)))
			for b.Loop() {
				c.f()
			}
			var buf []byte
			b.ReportMetric(ratio(c.f, func() { buf = append(buf[:0], body...) }), "x/copy")
			b.ReportMetric(ratio(c.f, func() { json.Valid(body) }), "x/valid")
		})
	}
}

// BenchmarkAimTap reads the answer of a stream in pieces of 4 KiB, and reports how often the pieces could
// have been copied meanwhile.
func BenchmarkAimTap(b *testing.B) {
	var s bytes.Buffer
	s.WriteString("event: message_start\ndata: " +
		"{\"type\":\"message_start\",\"message\":{\"id\":\"m\",\"usage\":{\"input_tokens\":3}}}\n\n")
	for s.Len() < 1<<20 {
		s.WriteString("event: content_block_delta\ndata: " +
			"{\"type\":\"content_block_delta\",\"index\":0,\"delta\":{\"type\":\"text_delta\",\"text\":\"a " +
			"few words, " +
			"as they come \\\"\\n\"}}\n\n")
	}
	s.WriteString("event: message_delta\ndata: " +
		"{\"type\":\"message_delta\",\"delta\":{},\"usage\":{\"output_tokens\":9}}\n\nevent: message_stop\ndata: " +
		"{\"type\":\"message_stop\"}\n\n")
	stream, piece := s.Bytes(), make([]byte, 4<<10)
	watch := func() {
		t := api.NewAnswerTap(api.Anthropic)
		for p := stream; len(p) > 0; p = p[min(len(p), len(piece)):] {
			_, _ = t.Write(p[:min(len(p), len(piece))])
		}
		if u := t.Usage(); u.Response.N != 9 {
			b.Fatal(u)
		}
	}
	b.ReportAllocs()
	b.SetBytes(int64(len(stream)))
	for b.Loop() {
		watch()
	}
	b.ReportMetric(ratio(watch, func() {
		for p := stream; len(p) > 0; p = p[min(len(p), len(piece)):] {
			copy(piece, p)
		}
	}), "x/copy")
}
