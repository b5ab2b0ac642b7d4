package sdktest_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/anthropics/anthropic-sdk-go/bedrock"
	"github.com/aws/aws-sdk-go-v2/aws"
	v4 "github.com/aws/aws-sdk-go-v2/aws/signer/v4"
	"github.com/aws/aws-sdk-go-v2/service/bedrockruntime"

	"github.com/aside-go/aside/eval"
	"github.com/aside-go/aside/inject/transport"
	aside "github.com/aside-go/aside/inject/wire"
	"github.com/aside-go/aside/internal/test/modelapi"
)

// TestSigned: what is signed over its bytes goes out as it came, and the report says so.
func TestSigned(t *testing.T) {
	t.Parallel()
	for _, stream := range []bool{false, true} {
		m := mode{model: "anthropic.claude-opus-5-v1:0", stream: stream}
		script := modelapi.Options{Script: modelapi.Turns(replies...)}
		bare := serve(t, script)
		w, rep := serve(t, script).through(t, transport.Options{})
		play(t, newConverse(bare, m, bearer))
		sameAnswers(t, play(t, newConverse(w, m, keys)), told(true), w.fake.Records())
		for i, r := range w.fake.Records() {
			if !strings.HasPrefix(r.Request.Header.Get("Authorization"), "AWS4-HMAC-SHA256 ") {
				t.Fatalf("authorization: %q", r.Request.Header.Get("Authorization"))
			}
			if want := bare.fake.Records()[i].Request.Body; !bytes.Equal(r.Request.Body, want) {
				t.Errorf("request %d:\n%s\n%s", i+1, r.Request.Body, want)
			}
		}
		for _, r := range rep.all {
			if r.Passed != transport.PassedSigned || len(r.Fired) > 0 || r.Turn != 0 {
				t.Errorf("%+v", r)
			}
		}
		if len(rep.all) != len(replies) {
			t.Errorf("%d reports", len(rep.all))
		}
	}
}

// pair is what requests are signed with.
var pair = aws.Credentials{AccessKeyID: "AKIDEXAMPLE", SecretAccessKey: "secret"}

var signs = aws.CredentialsProviderFunc(func(context.Context) (aws.Credentials, error) { return pair, nil })

func keys(o *bedrockruntime.Options) { o.Credentials = signs }

// TestBeforeSigning: as middleware in front of the one that signs, a Transport changes the bytes that are
// signed.
func TestBeforeSigning(t *testing.T) {
	t.Parallel()
	for _, stream := range []bool{false, true} {
		w, rep := serve(t, modelapi.Options{Script: modelapi.Turns(replies...)}), &reports{}
		m := mode{model: "us.anthropic.claude-sonnet-4-6-v1:0", stream: stream}
		m.hook = transport.New(eval.New(set(t), eval.Options{}), transport.Options{Report: rep.add}).Middleware
		a := newClaude(w, m, bedrock.WithConfig(aws.Config{Region: "us-east-1", Credentials: signs}))
		got := play(t, a)
		held(t, sdks[0], m, aside.Auto, w, got, a)
		reported(t, rep, len(replies), due(sdks[0], m, aside.Auto))
		for _, r := range w.fake.Records() {
			if got, want := r.Request.Header.Get("Authorization"), signature(t, w, r.Request); got != want {
				t.Errorf("request %d: %s\nof its bytes: %s", r.N, got, want)
			}
		}
	}
}

// signature signs a request anew.
func signature(t *testing.T, w way, r modelapi.Request) string {
	t.Helper()
	req, err := http.NewRequest(http.MethodPost, w.url+r.Path, bytes.NewReader(r.Body))
	if err != nil {
		t.Fatal(err)
	}
	_, names, _ := strings.Cut(r.Header.Get("Authorization"), "SignedHeaders=")
	names, _, _ = strings.Cut(names, ",")
	for name := range strings.SplitSeq(names, ";") {
		req.Header[http.CanonicalHeaderKey(name)] = r.Header.Values(name)
	}
	at, err := time.Parse("20060102T150405Z", r.Header.Get("X-Amz-Date"))
	if err != nil {
		t.Fatal(err)
	}
	sum := sha256.Sum256(r.Body)
	if err := v4.NewSigner().SignHTTP(t.Context(), pair, req, hex.EncodeToString(sum[:]), "bedrock", "us-east-1",
		at); err != nil {
		t.Fatal(err)
	}
	return req.Header.Get("Authorization")
}

// TestBearerFromEnvironment: the variable that AWS documents for keys of Bedrock is enough.
func TestBearerFromEnvironment(t *testing.T) {
	t.Setenv("AWS_BEARER_TOKEN_BEDROCK", "token")
	w, rep := serve(t, modelapi.Options{Script: modelapi.Turns(replies...)}).through(t, transport.Options{})
	m, s := mode{model: "us.anthropic.claude-sonnet-4-5-v1:0"}, sdks[len(sdks)-1]
	a := newConverse(w, m)
	got := play(t, a)
	held(t, s, m, aside.Auto, w, got, a)
	reported(t, rep, len(replies), due(s, m, aside.Auto))
	if h := w.fake.Records()[0].Request.Header.Get("Authorization"); h != "Bearer token" {
		t.Errorf("authorization: %q", h)
	}
}
