package wire

// format is how an API writes what a plan speaks of.
type format struct {
	messages, role, content string    // members of the body and of a message
	block                   [2]string // what stands before and behind the text of a text block
}

// generic is the shape of no vendor.
var generic = format{
	messages: "messages", role: "role", content: "content",
	block: [2]string{`{"type":"text","text":`, `}`},
}

// blocks appends a text block for each text, with commas between them.
func (f *format) blocks(dst []byte, texts []string) []byte {
	for i, t := range texts {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(quote(append(dst, f.block[0]...), t), f.block[1]...)
	}
	return dst
}

// open appends the beginning of a message, up to its content.
func (f *format) open(dst []byte, role string) []byte {
	dst = quote(append(quote(append(dst, '{'), f.role), ':'), role)
	return append(quote(append(dst, ','), f.content), ':')
}
