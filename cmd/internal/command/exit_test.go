package command_test

import (
	"bufio"
	"bytes"
	"io/fs"
	"net"
	"net/url"
	"os"
	"syscall"
	"testing"

	"github.com/aside-go/aside/cmd/internal/command"
)

// TestBrokenPipe: to have no reader of stdout any more is no error, and a server that hangs up is one.
func TestBrokenPipe(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		err  error
		code int
		want string
	}{
		{&fs.PathError{Op: "write", Path: "/dev/stdout", Err: syscall.EPIPE}, command.ExitFine, ""},
		{&url.Error{Op: "Put", URL: "http://h/b", Err: &net.OpError{Op: "write", Net: "tcp",
			Err: os.NewSyscallError("write", syscall.EPIPE)}}, command.ExitMachine,
			"aside: Put \"http://h/b\": write tcp: write: broken pipe\n"},
	} {
		var errs bytes.Buffer
		e := &command.Env{Out: bufio.NewWriter(&bytes.Buffer{}), Err: &errs}
		if code := e.Report(c.err); code != c.code || errs.String() != c.want {
			t.Errorf("%v: %d, %q", c.err, code, errs.String())
		}
	}
}
