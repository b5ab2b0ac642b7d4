package modelapi

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"hash"
	"slices"
	"strings"
)

// binding is what a request says about thinking that stands behind another prompt than it was made for.
type binding struct {
	onMismatch string // "", "error" or "drop_block"
}

// signature is what the signature of a thinking block says: digests of the prompt before the answer, of the
// thinking before it, of its text, and of these three. So the request alone tells whether thinking stands
// where it stood, as it does with the vendor.
type signature struct{ prompt, before, text, own string }

const signed = "modelapi:"

// Sign returns the signature of thinking with this text, in a model's answer to p. after is the signature of
// the thinking block before it in the same answer; "" for the last one in p.
func (p *Prompt) Sign(after, text string) string {
	if after == "" {
		for _, m := range p.Messages {
			for _, b := range m.Blocks {
				if b.Kind == Thinking && b.Signature != "" {
					after = b.Signature
				}
			}
		}
	}
	s := signature{prompt: p.digests()[len(merged(p.Messages))], before: own(after), text: digest(text)}
	s.own = digest(s.prompt + s.before + s.text)
	return base64.StdEncoding.EncodeToString([]byte(signed + s.prompt + s.before + s.text + s.own))
}

func digest(s string) string {
	d := sha256.Sum256([]byte(s))
	return hex.EncodeToString(d[:4])
}

func own(sig string) string {
	if s, ok := readSignature(sig); ok {
		return s.own
	}
	return strings.Repeat("0", 8)
}

// readSignature reads a signature; ok is false if no fake has made it.
func readSignature(sig string) (signature, bool) {
	b, err := base64.StdEncoding.DecodeString(sig)
	s, ok := strings.CutPrefix(string(b), signed)
	if err != nil || !ok || len(s) != 32 {
		return signature{}, false
	}
	return signature{s[:8], s[8:16], s[16:24], s[24:]}, true
}

// digests returns, for each number n of messages from 0 on, the digest of the prompt up to there. Thinking
// does not count, because it may be removed, nor do cache marks. A string counts as one text block.
func (p *Prompt) digests() []string {
	h := sha256.New()
	for _, b := range p.Tools {
		add(h, "tool", b.Raw)
	}
	for _, b := range p.System {
		add(h, "system", b.Raw)
	}
	out := []string{sum(h)}
	for _, m := range merged(p.Messages) {
		for _, b := range m.Blocks {
			if b.Kind != Thinking {
				add(h, m.Role+m.ClearAt, fmt.Sprint(b.Kind), b.Raw)
			}
		}
		out = append(out, sum(h))
	}
	return out
}

func sum(h hash.Hash) string { return hex.EncodeToString(h.Sum(nil)[:4]) }

func add(h hash.Hash, parts ...string) {
	for _, s := range parts {
		fmt.Fprintf(h, "%d:%s", len(s), s)
	}
}

// Mismatch is a thinking block that does not stand where it was made.
type Mismatch struct{ Path string }

// mismatch returns the first thinking block that stands behind another prompt, or after which a thinking
// block is missing that stood before it. A signature that no fake has made is a mismatch too: no vendor
// accepts a foreign one.
func (p *Prompt) mismatch() (Mismatch, bool) {
	digests := p.digests()
	before := ""
	for i, m := range merged(p.Messages) {
		for _, b := range m.Blocks {
			if b.Kind != Thinking {
				continue
			}
			s, ok := readSignature(b.Signature)
			if !ok || s.prompt != digests[i] || before != "" && s.before != before {
				return Mismatch{b.Path}, true
			}
			before = s.own
		}
	}
	return Mismatch{}, false
}

// modified returns the first thinking block of the last answer whose text is not the one that was signed.
func (p *Prompt) modified() (Mismatch, bool) {
	ms := merged(p.Messages)
	for i := len(ms) - 1; i >= 0; i-- {
		if ms[i].Role != "assistant" {
			continue
		}
		for _, b := range ms[i].Blocks {
			s, ok := readSignature(b.Signature)
			if b.Kind == Thinking && ok && (s.text != digest(b.Text) || s.own != digest(s.prompt+s.before+s.text)) {
				return Mismatch{b.Path}, true
			}
		}
		return Mismatch{}, false
	}
	return Mismatch{}, false
}

// without returns the prompt without its thinking blocks from the one at path on, without any if path is "".
func (p *Prompt) without(path string) *Prompt {
	out := *p
	out.Messages = slices.Clone(p.Messages)
	drop := path == ""
	for i, m := range p.Messages {
		kept := []Block{}
		for _, b := range m.Blocks {
			drop = drop || b.Kind == Thinking && b.Path == path
			if b.Kind != Thinking || !drop {
				kept = append(kept, b)
			}
		}
		out.Messages[i].Blocks = kept
	}
	return &out
}
