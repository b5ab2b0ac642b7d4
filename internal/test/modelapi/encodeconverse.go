package modelapi

import (
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"hash/crc32"
)

func converseUsage(u Usage) json.RawMessage {
	return obj("inputTokens", u.Plain(), "outputTokens", u.Output, "totalTokens", u.Prompt+u.Output,
		"cacheReadInputTokens", u.Read, "cacheWriteInputTokens", u.Write,
		"cacheDetails", arr(obj("ttl", "5m", "inputTokens", u.Write-u.Hour),
			obj("ttl", "1h", "inputTokens", u.Hour)))
}

func converseBody(a Answer) json.RawMessage {
	content := []json.RawMessage{}
	for _, x := range a.Reply.Parts {
		switch {
		case x.Call != nil:
			content = append(content, obj("toolUse", obj("toolUseId", x.Call.ID, "name", x.Call.Name, "input",
				json.RawMessage(x.Call.Args))))
		case x.Thinking != "":
			content = append(content, obj("reasoningContent", obj("reasoningText", obj("text", x.Thinking, "signature",
				x.signature))))
		default:
			content = append(content, obj("text", x.Text))
		}
	}
	return obj("output", obj("message", obj("role", "assistant", "content", arr(content...))), "stopReason",
		anthropicStop(a),
		"usage", converseUsage(a.Usage), "metrics", obj("latencyMs", 1))
}

// converseEvents returns the events of a stream. Only calls have a contentBlockStart. The usage comes behind
// the messageStop.
func converseEvents(a Answer) []event {
	out := []event{{"messageStart", obj("role", "assistant")}}
	for i, x := range a.Reply.Parts {
		delta := func(d json.RawMessage) {
			out = append(out, event{"contentBlockDelta", obj("contentBlockIndex", i, "delta", d)})
		}
		if c := x.Call; c != nil {
			out = append(out, event{"contentBlockStart", obj("contentBlockIndex", i, "start",
				obj("toolUse", obj("toolUseId", c.ID, "name", c.Name)))})
			for _, s := range pieces(c.Args) {
				delta(obj("toolUse", obj("input", s)))
			}
		}
		for _, s := range pieces(x.Text) {
			delta(obj("text", s))
		}
		for _, s := range pieces(x.Thinking) {
			delta(obj("reasoningContent", obj("text", s)))
		}
		if x.Thinking != "" {
			delta(obj("reasoningContent", obj("signature", x.signature)))
		}
		out = append(out, event{"contentBlockStop", obj("contentBlockIndex", i)})
	}
	return append(out, event{"messageStop", obj("stopReason", anthropicStop(a))},
		event{"metadata", obj("usage", converseUsage(a.Usage), "metrics", obj("latencyMs", 1))})
}

// bedrockChunk returns an event of the Messages API as InvokeModel streams it.
func bedrockChunk(e event) event {
	return event{"chunk", obj("bytes", base64.StdEncoding.EncodeToString(e.data))}
}

// frame returns an event in AWS's binary form (application/vnd.amazon.eventstream): two lengths and a CRC of
// them, headers of type string, the payload, and a CRC of everything before.
func frame(e event) []byte {
	var head []byte
	for _, h := range [][2]string{{":event-type", e.name}, {":content-type", "application/json"},
		{":message-type", "event"}} {
		head = append(head, byte(len(h[0])))
		head = append(head, h[0]...)
		head = append(head, 7)
		head = binary.BigEndian.AppendUint16(head, uint16(len(h[1])))
		head = append(head, h[1]...)
	}
	out := binary.BigEndian.AppendUint32(nil, uint32(16+len(head)+len(e.data)))
	out = binary.BigEndian.AppendUint32(out, uint32(len(head)))
	out = binary.BigEndian.AppendUint32(out, crc32.ChecksumIEEE(out))
	out = append(append(out, head...), e.data...)
	return binary.BigEndian.AppendUint32(out, crc32.ChecksumIEEE(out))
}
