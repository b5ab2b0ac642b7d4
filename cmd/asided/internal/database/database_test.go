//go:build unix

package database_test

import (
	"bufio"
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"math/big"
	"net"
	"os"
	"os/user"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/aside-go/aside/cmd/asided/internal/database"
	"github.com/aside-go/aside/cmd/internal/command"
	"github.com/aside-go/aside/cmd/internal/runs"
	"github.com/aside-go/aside/compile/reminder"
	"github.com/aside-go/aside/internal/firing"
	"github.com/aside-go/aside/internal/response"
	"github.com/aside-go/aside/internal/test/races"
	"github.com/aside-go/aside/internal/test/servers"
	"github.com/aside-go/aside/state"
	"github.com/aside-go/aside/state/filestore"
)

// certificate is that of all servers here, and of who has signed it.
var certificate, key string

// TestMain has this process trust the certificate, as a person does who hands SSL_CERT_FILE to serve.
func TestMain(m *testing.M) {
	dir, err := os.MkdirTemp("", "aside-certificate-")
	if err == nil {
		certificate, key, err = certify(dir)
	}
	if err != nil {
		panic(err)
	}
	_ = os.Setenv("SSL_CERT_FILE", certificate)
	code := m.Run()
	servers.Stop()
	_ = os.RemoveAll(dir)
	os.Exit(code)
}

// certify makes a certificate for this machine, which signs itself.
func certify(dir string) (certificate, key string, err error) {
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return "", "", err
	}
	c := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "aside test"},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(24 * time.Hour),
		IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign | x509.KeyUsageDigitalSignature,
		DNSNames: []string{"localhost"}, IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
	}
	signed, err := x509.CreateCertificate(rand.Reader, c, c, &private.PublicKey, private)
	if err != nil {
		return "", "", err
	}
	encoded, err := x509.MarshalECPrivateKey(private)
	if err != nil {
		return "", "", err
	}
	certificate, key = filepath.Join(dir, "certificate.pem"), filepath.Join(dir, "key.pem")
	if err := os.Chmod(dir, 0o755); err != nil { // servers run as another user
		return "", "", err
	}
	if err := os.WriteFile(certificate, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: signed}),
		0o644); err != nil {
		return "", "", err
	}
	err = os.WriteFile(key, pem.EncodeToMemory(&pem.Block{Type: "EC PRIVATE KEY", Bytes: encoded}), 0o640)
	// PostgreSQL runs as another user than root, and reads a key of root's as a member of its group.
	if u, unknown := user.Lookup("postgres"); unknown == nil && err == nil && os.Geteuid() == 0 {
		var group int
		if group, err = strconv.Atoi(u.Gid); err == nil {
			err = os.Chown(key, 0, group)
		}
	}
	return certificate, key, err
}

// take opens the store at a URL, takes a run over two turns, and keeps a record of an outcome.
func take(t *testing.T, url string) error {
	t.Helper()
	store, where, err := runs.Open(&command.Env{Databases: database.Open}, url, filestore.OnSync)
	if err != nil {
		return err
	}
	if strings.Contains(where, "secret") {
		t.Errorf("people are told %s", where)
	}
	for _, turn := range []string{"1", "2"} {
		races.Take(t, store, turn)
	}
	record := reminder.Record{Time: time.Now(), Run: "r", Firing: "f", ID: "a", Outcome: reminder.Fired}
	if _, err := state.SaveRecorded(t.Context(), store, "recorded", 0, firing.Remind(nil, "a"),
		[]reminder.Record{record}); err != nil {
		return err
	}
	for r, err := range store.(state.Recorder).Records(t.Context()) {
		if err != nil || r.Firing == record.Firing {
			return err
		}
	}
	return errors.New("the record is not there")
}

// refused opens the store at a URL, which must fail with a word of why, and without the password.
func refused(t *testing.T, url, why string) {
	t.Helper()
	_, _, err := runs.Open(&command.Env{Databases: database.Open}, url, filestore.OnSync)
	if err == nil || !strings.Contains(err.Error(), why) || strings.Contains(err.Error(), "secret") {
		t.Errorf("%v, want %q", err, why)
	}
}

// TestRedisSecured: TLS, and a user who may do no more than the store does.
func TestRedisSecured(t *testing.T) {
	t.Parallel()
	server := servers.NewRedis(t, "--save", "", "--tls-port", "0", "--tls-cert-file", certificate,
		"--tls-key-file",
		key, "--tls-ca-cert-file", certificate, "--tls-auth-clients", "no")
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	tls := l.Addr().String()
	_ = l.Close()
	_, port, _ := net.SplitHostPort(tls)
	server.Do(t, "config", "set", "tls-port", port)
	server.Do(t, "acl", "setuser", "aside", "on", ">secret", "~aside:*", "~outcomes:*", "-@all", "+get", "+set",
		"+getrange", "+del", "+rpush", "+ltrim", "+pexpire", "+lrange", "+scan", "+eval", "+evalsha", "+eval_ro",
		"+evalsha_ro", "+script|load", "+hello", "+client", "+ping")
	server.Do(t, "acl", "setuser", "ops", "on", ">ops", "~*", "+@all")
	server.Do(t, "acl", "setuser", "default", "off")
	if err := take(t, "rediss://aside:secret@"+tls+"/0\n"); err != nil { // as a file often ends

		t.Error(err)
	}
	refused(t, "rediss://aside:secrets@"+tls+"/0", "WRONGPASS")
	refused(t, "redis://"+server.Addr, "NOAUTH")
	strange, secret, err := certify(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	server.Do(t, "--user", "ops", "--pass", "ops", "--no-auth-warning", "config", "set",
		"tls-cert-file", strange,
		"tls-key-file", secret)
	refused(t, "rediss://aside:secret@"+tls+"/0", "x509")
}

// TestPostgresSecured: TLS with a certificate that is looked at.
func TestPostgresSecured(t *testing.T) {
	t.Parallel()
	server := servers.NewPostgres(t, "fsync=off", "ssl=on", "ssl_cert_file="+certificate, "ssl_key_file="+key)
	url := server.Database(t)
	if err := take(t, url+"?sslmode=verify-full&sslrootcert="+certificate); err != nil {
		t.Error(err)
	}
	strange, _, err := certify(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	refused(t, url+"?sslmode=verify-full&sslrootcert="+strange, "x509")
	plain := servers.NewPostgres(t, "fsync=off")
	refused(t, plain.Database(t)+"?sslmode=verify-full", "refused TLS")
}

// TestMany: of very many runs in a database some are looked at, all where a person asks for that, and one is
// found by the beginning of its name. What is kept beside the runs is none.
func TestMany(t *testing.T) {
	t.Parallel()
	url := "redis://" + servers.NewRedis(t, "--save", "").Addr
	store, _, err := runs.Open(&command.Env{Databases: database.Open}, url, filestore.OnSync)
	if err != nil {
		t.Fatal(err)
	}
	snap, err := firing.Note(nil, json.RawMessage("{}"))
	if err != nil {
		t.Fatal(err)
	}
	fill := func(from, to int) {
		var wg sync.WaitGroup
		for worker := range 32 {
			wg.Go(func() {
				for i := from + worker; i < to; i += 32 {
					name := fmt.Sprintf("run-%05d-x", i)
					if i < 20 {
						name = response.KeptPrefix + strconv.Itoa(i)
					}
					if _, err := store.Save(t.Context(), name, 0, snap); err != nil {
						t.Error(err)
					}
				}
			})
		}
		wg.Wait()
	}
	const n = 10_010
	fill(0, n)
	races.Take(t, store, "1")
	list := func(o runs.Options) (rows int, said string) {
		var out, errs bytes.Buffer
		e := &command.Env{Out: bufio.NewWriter(&out), Err: &errs, Width: 80, Databases: database.Open}
		o.State = url
		if err := runs.List(t.Context(), e, o); err != nil {
			t.Fatal(err)
		}
		_ = e.Out.Flush()
		if strings.Contains(out.String(), response.KeptPrefix) {
			t.Error("a response is listed as a run")
		}
		return strings.Count(out.String(), "\n"), errs.String()
	}
	if rows, said := list(runs.Options{}); rows != 10 || said != "9981 runs more: aside runs --all\n" {
		t.Errorf("%d rows, %s", rows, said)
	}
	fill(n, n+20)
	if rows, said := list(runs.Options{}); rows != 10 || !strings.Contains(said,
		"and there are more: aside runs --all") {
		t.Errorf("%d rows, %s", rows, said)
	}
	if rows, said := list(runs.Options{All: true}); rows != 10_011 || said != "" {
		t.Errorf("%d rows, %s", rows, said)
	}
	e := &command.Env{Width: 80, Databases: database.Open}
	if _, run, err := runs.Existing(t.Context(), e, url, "run-10029"); run == nil ||
		run.Name != "run-10029-x" {
		t.Errorf("%v, %v", run, err)
	}
	if _, run, err := runs.Existing(t.Context(), e, url, ""); err == nil ||
		!strings.Contains(err.Error(), "--run") {
		t.Errorf("%v, %v", run, err)
	}
}

// TestSentinelURL: the server is found through a sentinel.
func TestSentinelURL(t *testing.T) {
	t.Parallel()
	server := servers.NewRedis(t, "--save", "")
	server.Do(t, "acl", "setuser", "aside", "on", ">secret", "~aside:*", "~outcomes:*", "+@all")
	sentinel := servers.NewSentinel(t, server)
	if err := take(t, "redis://aside:secret@"+sentinel.Addr+"/0?master_set=runs"); err != nil {
		t.Error(err)
	}
}
