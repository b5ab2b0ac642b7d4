package bundle

import (
	"cmp"
	"crypto/ed25519"
	"crypto/rand"
	"crypto/sha256"
	"crypto/x509"
	"encoding/hex"
	"encoding/pem"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
)

// prefix stands before the manifest in what is signed, so that no signature of this key for another purpose
// is one of a bundle.
const prefix = "aside bundle\n"

// signature is one of the manifest.
type signature struct {
	Key       string `json:"key"` // KeyID of the key, to find it
	Signature []byte `json:"signature"`
}

// KeyID names a public key: 16 hexadecimal digits of its SHA-256.
func KeyID(pub ed25519.PublicKey) string {
	sum := sha256.Sum256(pub)
	return hex.EncodeToString(sum[:8])
}

// Sign returns the archive with a signature of key beside those that it has.
func (a *Archive) Sign(key ed25519.PrivateKey) *Archive {
	id := KeyID(key.Public().(ed25519.PublicKey))
	b := *a
	b.signatures = slices.DeleteFunc(slices.Clone(a.signatures), func(s signature) bool { return s.Key == id })
	b.signatures = append(b.signatures, signature{id, ed25519.Sign(key, append([]byte(prefix), a.signed...))})
	slices.SortFunc(b.signatures, func(a, b signature) int { return cmp.Compare(a.Key, b.Key) })
	return &b
}

// ErrUnsigned is the error for an archive without a signature of an accepted key.
var ErrUnsigned = errors.New("no accepted key has signed the bundle")

// Verify returns the KeyID of the first of the keys that has signed the archive, else ErrUnsigned.
func (a *Archive) Verify(keys []ed25519.PublicKey) (id string, err error) {
	text := append([]byte(prefix), a.signed...)
	var others []string
	for _, s := range a.signatures {
		for _, key := range keys {
			if KeyID(key) == s.Key && ed25519.Verify(key, text, s.Signature) {
				return s.Key, nil
			}
		}
		others = append(others, clip(s.Key))
	}
	if len(others) == 0 {
		return "", fmt.Errorf("%w: it has no signature", ErrUnsigned)
	}
	var ids []string
	for _, key := range keys {
		ids = append(ids, KeyID(key))
	}
	return "", fmt.Errorf("%w: accepted %s, signed %s", ErrUnsigned, strings.Join(ids, ", "),
		strings.Join(others, ", "))
}

// PublicKeys reads the Ed25519 public keys of PEM files, each of which may hold several.
func PublicKeys(paths ...string) ([]ed25519.PublicKey, error) {
	var keys []ed25519.PublicKey
	for _, path := range paths {
		blocks, err := pemBlocks(path)
		if err != nil {
			return nil, err
		}
		for _, b := range blocks {
			if strings.Contains(b.Type, "PRIVATE") {
				return nil, fmt.Errorf("%s holds a private key: the public one belongs here", path)
			}
			any, err := x509.ParsePKIXPublicKey(b.Bytes)
			key, ok := any.(ed25519.PublicKey)
			if err != nil || !ok {
				return nil, fmt.Errorf("%s: not an Ed25519 public key in PEM", path)
			}
			keys = append(keys, key)
		}
	}
	return keys, nil
}

// privateKey reads an Ed25519 private key in PEM (PKCS #8).
func privateKey(path string) (ed25519.PrivateKey, error) {
	blocks, err := pemBlocks(path)
	if err != nil {
		return nil, err
	}
	for _, b := range blocks {
		switch b.Type {
		case "PRIVATE KEY":
			any, err := x509.ParsePKCS8PrivateKey(b.Bytes)
			if key, ok := any.(ed25519.PrivateKey); ok && err == nil {
				return key, nil
			}
			return nil, fmt.Errorf("%s: a private key of another kind than Ed25519", path)
		case "ENCRYPTED PRIVATE KEY":
			return nil, fmt.Errorf("%s has a passphrase: openssl pkey -in %s -out FILE takes it off", path, path)
		}
	}
	return nil, fmt.Errorf("%s holds no private key in PEM (PKCS #8)", path)
}

func pemBlocks(path string) (blocks []*pem.Block, err error) {
	src, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	for {
		var b *pem.Block
		if b, src = pem.Decode(src); b == nil {
			break
		}
		blocks = append(blocks, b)
	}
	if len(blocks) == 0 {
		return nil, fmt.Errorf("%s holds no key in PEM", path)
	}
	return blocks, nil
}

// newKey returns the two PEM files of a new key.
func newKey() (private, public []byte, id string, err error) {
	pub, key, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		return nil, nil, "", err
	}
	a, err := x509.MarshalPKCS8PrivateKey(key)
	b, err2 := x509.MarshalPKIXPublicKey(pub)
	if err = errors.Join(err, err2); err != nil {
		return nil, nil, "", err
	}
	return pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: a}),
		pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: b}), KeyID(pub), nil
}
