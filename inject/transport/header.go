package transport

import (
	"net/http"
	"strings"
)

// signed reports whether a request carries a signature or a digest of its body, so that other bytes would be refused.
func signed(h http.Header) bool {
	if strings.HasPrefix(h.Get("Authorization"), "AWS4-") {
		return true
	}
	for _, name := range [...]string{"Content-Digest", "Digest", "Content-Md5", "Signature-Input"} {
		if h.Get(name) != "" {
			return true
		}
	}
	return false
}

// allow lists a beta feature in the header anthropic-beta, if the client has not.
func allow(h http.Header, beta string) {
	const name = "Anthropic-Beta"
	for _, v := range h.Values(name) {
		for b := range strings.SplitSeq(v, ",") {
			if strings.TrimSpace(b) == beta {
				return
			}
		}
	}
	if have := strings.Join(h.Values(name), ","); have != "" {
		beta = have + "," + beta
	}
	h.Set(name, beta)
}

// readable removes from Accept-Encoding what the Transport cannot decompress. The response goes to the client as it comes.
func readable(h http.Header) {
	const name = "Accept-Encoding"
	accepted := h.Values(name)
	if len(accepted) == 0 {
		return
	}
	var kept []string
	for _, v := range accepted {
		for e := range strings.SplitSeq(v, ",") {
			e = strings.TrimSpace(e)
			switch coding, _, _ := strings.Cut(e, ";"); strings.ToLower(strings.TrimSpace(coding)) {
			case "gzip", "x-gzip", "zstd", "identity":
				kept = append(kept, e)
			}
		}
	}
	if len(kept) == 0 {
		kept = []string{"identity"}
	}
	h.Set(name, strings.Join(kept, ", "))
}
