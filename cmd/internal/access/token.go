package access

import (
	"bytes"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/aside-go/aside/internal/near"
)

// Scope is what a token is good for.
type Scope string

// The scopes.
const (
	Proxy  Scope = "proxy"  // requests to the model APIs
	Decide Scope = "decide" // turns of runs
	Remind Scope = "remind" // firing by hand, and the reminders of a run
	Read   Scope = "read"   // runs, reasons, metrics
	Admin  Scope = "admin"  // all of these, and deleting runs
)

var scopes = []string{string(Proxy), string(Decide), string(Remind), string(Read), string(Admin)}

// Token is a secret, and what it is good for.
type Token struct {
	Name   string
	scopes []Scope
	sum    [sha256.Size]byte // of the secret
}

// Single returns the one token of a secret that is good for everything; none for "".
func Single(secret string) []Token {
	if secret == "" {
		return nil
	}
	return []Token{{"token", []Scope{Admin}, sha256.Sum256([]byte(secret))}}
}

// hashed begins a secret of which the file has the SHA-256 in hexadecimal digits.
const hashed = "sha256:"

// Parse reads tokens, one a line: a name, scopes with commas between them, and the secret or its hash. What
// stands behind # on a line of its own is a comment. Two tokens may have one name, so that a secret can be
// replaced while the old one is still good. The error joins all mistakes with their lines, and quotes no
// secret.
func Parse(b []byte) ([]Token, error) {
	var tokens []Token
	var errs []error
	n := 0
	for line := range bytes.Lines(b) {
		n++
		text := strings.TrimSpace(string(line))
		if text == "" || text[0] == '#' {
			continue
		}
		t, err := parse(strings.Fields(text))
		if err == nil && slices.ContainsFunc(tokens, func(o Token) bool { return o.sum == t.sum }) {
			err = errors.New("the same secret as on a line before")
		}
		if err != nil {
			errs = append(errs, fmt.Errorf("line %d: %w", n, err))
			continue
		}
		tokens = append(tokens, t)
	}
	if len(tokens) == 0 && errs == nil {
		errs = append(errs, errors.New("no token stands there: a line has a name, scopes and a secret"))
	}
	return tokens, errors.Join(errs...)
}

func parse(fields []string) (t Token, err error) {
	if len(fields) != 3 {
		return t, fmt.Errorf("a token has three words, a name, scopes such as decide,read, and a secret; "+
			"here are %d", len(fields))
	}
	t.Name = fields[0]
	for _, s := range strings.Split(fields[1], ",") {
		if !slices.Contains(scopes, s) {
			return t, fmt.Errorf("there is no scope %q%s; there are %s", s, near.Hint("; ", s, scopes),
				strings.Join(scopes, ", "))
		}
		t.scopes = append(t.scopes, Scope(s))
	}
	digits, isHash := strings.CutPrefix(fields[2], hashed)
	if !isHash {
		t.sum = sha256.Sum256([]byte(fields[2]))
		return t, nil
	}
	if n, err := hex.Decode(t.sum[:], []byte(digits)[:min(len(digits), 2*len(t.sum))]); err != nil ||
		n != len(t.sum) || len(digits) != 2*n {
		return t, fmt.Errorf("%s is followed by 64 hexadecimal digits, as sha256sum prints them", hashed)
	}
	return t, nil
}

// may reports whether a token is good for a scope.
func (t *Token) may(s Scope) bool {
	return slices.Contains(t.scopes, s) || slices.Contains(t.scopes, Admin)
}

// find returns the token of a secret. It takes the same time whichever it is.
func find(tokens []Token, secret string) (found *Token) {
	sum := sha256.Sum256([]byte(secret))
	for i := range tokens {
		if subtle.ConstantTimeCompare(sum[:], tokens[i].sum[:]) == 1 {
			found = &tokens[i]
		}
	}
	return found
}
