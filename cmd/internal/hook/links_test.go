package hook_test

import (
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// TestLinks: what a hook does not need is not part of its program, since each of these takes its time at the
// start.
func TestLinks(t *testing.T) {
	t.Parallel()
	out, err := exec.Command("go", "list", "-deps", "github.com/aside-go/aside/cmd/aside-hook").Output()
	if err != nil {
		t.Fatal(err)
	}
	deps := strings.Fields(string(out))
	for _, heavy := range []string{"net/http", "net", "crypto/tls", "os/exec", "log/slog",
		"github.com/alecthomas/kong", "golang.org/x/term",
		"github.com/prometheus/client_golang/prometheus", "github.com/aside-go/aside/inject/transport",
		"google.golang.org/protobuf/proto"} {
		if slices.Contains(deps, heavy) {
			t.Errorf("it links %s", heavy)
		}
	}
}
