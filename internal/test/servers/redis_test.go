//go:build unix

package servers

import (
	"net"
	"strings"
	"testing"
)

// TestPong: a server that is loading its data, or that closes the connection, is not ready.
func TestPong(t *testing.T) {
	t.Parallel()
	for answer, want := range map[string]string{
		"+PONG\r\n": "",
		"-LOADING Redis is loading the dataset in memory\r\n": "LOADING",
		"": "EOF",
	} {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		defer l.Close()
		go func() {
			c, err := l.Accept()
			if err != nil {
				return
			}
			defer c.Close()
			_, _ = c.Read(make([]byte, len("PING\r\n")))
			_, _ = c.Write([]byte(answer))
		}()
		err = pong(l.Addr().String())
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v", answer, err)
		}
	}
}
