package command

import (
	"io"
	"os"
	"os/exec"
	"sync/atomic"
)

// Page has stdout shown by the person's pager, as git does it, if stdout and stdin are a terminal: by $PAGER,
// or by less, which ends by itself where everything fits on the screen. The pager starts with the first
// output. The function that Page returns ends the output and waits for the person to leave the pager.
func (e *Env) Page() (done func() error) {
	name, set := os.LookupEnv("PAGER")
	if _, err := exec.LookPath("less"); !set && err == nil {
		name = "less"
	}
	if !e.OutTTY || !Interactive() || name == "" || name == "cat" || os.Getenv("TERM") == "dumb" {
		return func() error { return nil }
	}
	p := &pager{name: name, out: e.Stdout, viewing: &e.Viewing}
	beside := e.Err
	_ = e.Out.Flush() // it keeps its error
	e.Stdout = p
	e.Out.Reset(p)
	e.Err = flushFirst{e.Out, os.Stderr}
	e.Paged = true
	return func() error {
		err := e.Out.Flush()
		p.close()
		e.Stdout, e.Err, e.Paged = p.out, beside, false
		e.Out.Reset(p.out)
		return err
	}
}

// pager is a writer to a program that shows a person one page after the other. Where that does not start, it
// writes to out.
type pager struct {
	name    string
	out     io.Writer
	cmd     *exec.Cmd      // nil until the first output
	in      io.WriteCloser // of cmd
	viewing *atomic.Bool   // it runs, and an interrupt is its own
}

// Write implements io.Writer. Its error is EPIPE once the person has left the pager.
func (p *pager) Write(b []byte) (int, error) {
	if p.cmd == nil {
		p.start()
	}
	if p.in == nil {
		return p.out.Write(b)
	}
	return p.in.Write(b)
}

func (p *pager) start() {
	p.cmd = exec.Command("sh", "-c", p.name)
	p.cmd.Stdout, p.cmd.Stderr, p.cmd.Env = os.Stdout, os.Stderr, os.Environ()
	if _, set := os.LookupEnv("LESS"); !set {
		p.cmd.Env = append(p.cmd.Env, "LESS=FRX") // leave if it fits, keep colours, keep the screen
	}
	in, err := p.cmd.StdinPipe()
	if err != nil || p.cmd.Start() != nil {
		return
	}
	p.in = in
	p.viewing.Store(true)
}

// close ends the input of the pager and waits for it. What became of the pager is no error of the command.
func (p *pager) close() {
	if p.in != nil {
		_ = p.in.Close()
		_ = p.cmd.Wait()
		p.viewing.Store(false)
	}
}
