package wire_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"testing"

	"github.com/aside-go/aside/inject/wire"
)

// BenchmarkAimFacts reads the facts off a body, and reports how often encoding/json would have merely validated it.
func BenchmarkAimFacts(b *testing.B) {
	for _, size := range []int{1 << 10, 32 << 10, 1 << 20} {
		body := request(size, false)
		b.Run(fmt.Sprint(size), func(b *testing.B) {
			b.ReportAllocs()
			b.SetBytes(int64(len(body)))
			for b.Loop() {
				if _, err := wire.ReadRequest(wire.Incoming{API: wire.Anthropic, Body: body}); err != nil {
					b.Fatal(err)
				}
			}
			took := float64(b.Elapsed().Nanoseconds()) / float64(b.N)
			b.ReportMetric(took/once(max(10, b.N/100), func() { json.Valid(body) }), "x/valid")
		})
	}
}

// BenchmarkAimTap watches a stream in pieces of 4 KiB, and reports how often the pieces could have been copied meanwhile.
func BenchmarkAimTap(b *testing.B) {
	var s bytes.Buffer
	s.WriteString("event: message_start\ndata: {\"type\":\"message_start\",\"message\":{\"id\":\"m\",\"usage\":{\"input_tokens\":3}}}\n\n")
	for s.Len() < 1<<20 {
		s.WriteString("event: content_block_delta\ndata: {\"type\":\"content_block_delta\",\"index\":0,\"delta\":{\"type\":\"text_delta\",\"text\":\"a few words, as they come \\\"\\n\"}}\n\n")
	}
	s.WriteString("event: message_delta\ndata: {\"type\":\"message_delta\",\"delta\":{},\"usage\":{\"output_tokens\":9}}\n\nevent: message_stop\ndata: {\"type\":\"message_stop\"}\n\n")
	stream, piece := s.Bytes(), make([]byte, 4<<10)
	b.ReportAllocs()
	b.SetBytes(int64(len(stream)))
	for b.Loop() {
		t := wire.NewTap()
		for p := stream; len(p) > 0; p = p[min(len(p), len(piece)):] {
			_, _ = t.Write(p[:min(len(p), len(piece))])
		}
		if u := t.Usage(); u.Response.N != 9 {
			b.Fatal(u)
		}
	}
	took := float64(b.Elapsed().Nanoseconds()) / float64(b.N)
	b.ReportMetric(took/once(max(10, b.N), func() {
		for p := stream; len(p) > 0; p = p[min(len(p), len(piece)):] {
			copy(piece, p)
		}
	}), "x/copy")
}
