package filestore

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/aside-go/aside/internal/test/testkit"
	"github.com/aside-go/aside/state"
)

// commitForEver takes the run over one turn after another, and says each that was acknowledged.
func commitForEver(args []string, _ io.Reader, out io.Writer) error {
	o := Options{}
	if args[1] == "process" {
		o.Durability = Process
	}
	s, err := Open(args[0], o)
	if err != nil {
		return err
	}
	for {
		snap, _, err := s.Load(context.Background(), "run")
		if err != nil {
			return err
		}
		if _, err := takeTurn(s, strconv.Itoa(snap.Turn()+1)); err != nil {
			return err
		}
		if _, err := fmt.Fprintln(out, snap.Turn()+1); err != nil {
			return err
		}
	}
}

// TestS9Kills kills processes at random moments of a commit: nothing is torn, nothing that was acknowledged
// is lost, and no temporary file is left after the next Open. Every tenth begins in a directory that is not
// there.
func TestS9Kills(t *testing.T) {
	t.Parallel()
	kills := testkit.Repeat(40, 100)
	if testkit.Long() {
		kills = 10_000
	}
	const lanes = 4
	var (
		wg   sync.WaitGroup
		sums [lanes]killed
	)
	for lane := range lanes {
		wg.Go(func() { sums[lane] = killSome(t, uint64(lane), kills/lanes) })
	}
	wg.Wait()
	var sum killed
	for _, s := range sums {
		sum.kills += s.kills
		sum.turns += s.turns
		sum.temps += s.temps
		sum.dirty += s.dirty
	}
	if sum.kills != kills || sum.turns == 0 {
		t.Errorf("%+v: this shows nothing", sum)
	}
	t.Logf("%+v", sum)
}

// dieAtStep saves at one of the moments and kills itself before a step: its arguments are the directory, the
// moment, the durability, the revision, and the number of the step.
func dieAtStep(args []string, _ io.Reader, out io.Writer) error {
	var (
		m, at int
		o     Options
		rev   state.Revision
		old   *state.Snapshot
	)
	if _, err := fmt.Sscan(strings.Join(args[1:], " "), &m, &o.Durability, &rev, &at); err != nil {
		return err
	}
	if rev != 0 {
		s, err := o.openOn(quickDisk(), args[0])
		if err != nil {
			return err
		}
		if old, _, err = s.Load(context.Background(), "run"); err != nil {
			return err
		}
	}
	self, err := os.FindProcess(os.Getpid())
	if err != nil {
		return err
	}
	n := -1
	_, err = moments[m].commit(o, args[0], each(osDisk(), func(_ string, run func() error) error {
		if n++; n == at {
			if err := self.Kill(); err != nil {
				return err
			}
			select {}
		}
		return run()
	}), rev, moments[m].next(old))
	return errors.Join(err, errors.New("it lives"))
}

// TestS9KillAtStep kills a process at each step of a save, of the first save of a run and of the first
// creation apart.
func TestS9KillAtStep(t *testing.T) {
	t.Parallel()
	for i, m := range moments {
		for _, o := range []Options{{}, {Durability: Process}} {
			if o.Durability == Process && !testkit.Thorough() {
				continue // its steps are among the others
			}
			for at, step := range m.steps(t, o) {
				t.Run(fmt.Sprintf("%s/%d/%d %s", m.name, o.Durability, at, strings.Fields(step)[0]), func(t *testing.T) {
					t.Parallel()
					dir := filepath.Join(quickDir(t), "state", "aside")
					old, rev := m.prepare(t, dir)
					c := start(t, "die", dir, fmt.Sprint(i), fmt.Sprint(uint8(o.Durability)), fmt.Sprint(uint64(rev)),
						fmt.Sprint(at))
					if said, err := c.Line(); !errors.Is(err, io.EOF) || c.Err.Len() > 0 {
						t.Fatalf("%q, %v", said, err)
					}
					_ = c.Wait()
					aftermath(t, dir, old, m.next(old), rev, state.ErrIndeterminate, m.keys)
				})
			}
		}
	}
}

// killed counts the kills, the committed turns, and the temporary files and marks that kills left.
type killed struct{ kills, turns, temps, dirty int }

func killSome(t *testing.T, seed uint64, kills int) (sum killed) {
	r := rand.New(rand.NewPCG(1, seed))
	how, dir, turns := "power", "", 0
	for i := range kills {
		if i%10 == 0 {
			dir, turns = quickDir(t)+"/new/state", 0
			if i%20 == 0 {
				how = "process" // several times the commits for each kill
			} else {
				how = "power"
			}
		}
		acked, err := killOne(t, r, dir, how)
		if err != nil {
			t.Error(err)
			return sum
		}
		sum.kills++
		sum.temps += len(temps(t, dir))
		s := open(t, dir)
		if left := temps(t, dir); len(left) > 0 && !strings.HasPrefix(left[0], stampFile) {
			t.Errorf("%q is left after the next Open", left)
		}
		if at, err := s.read(fileName("run"), "run"); err == nil && at.rev != 0 && at.mark != durable {
			sum.dirty++
		}
		snap, _, err := s.Load(t.Context(), "run")
		if err != nil {
			t.Errorf("after a kill: %v", err)
			return sum
		}
		if now := snap.Turn(); now < max(acked, turns) || now > max(acked, turns)+1 ||
			snap.Reminder("r").Fires != now/2 {
			t.Errorf("turn %d, %d fires; %d was acknowledged, and %d was there before", now, snap.Reminder("r").Fires,
				acked, turns)
		}
		sum.turns += snap.Turn() - turns
		turns = snap.Turn()
	}
	return sum
}

// killOne starts a process, kills it within the time of a few commits, and returns the last turn it
// acknowledged.
func killOne(t *testing.T, r *rand.Rand, dir, how string) (acked int, err error) {
	c := prepare(t, "commits", dir, how)
	if err := c.Start(); err != nil {
		return 0, err
	}
	// One in four is not let come to its first commit: opening, and first creation, are among the moments.
	if r.IntN(4) > 0 {
		s, err := c.Line()
		if err != nil {
			return 0, err
		}
		if acked, err = strconv.Atoi(s); err != nil {
			return 0, err
		}
	}
	// That a moment is random is the point here.
	time.Sleep(time.Duration(r.IntN(3000)) * time.Microsecond)
	if err := c.Process.Kill(); err != nil {
		return 0, err
	}
	for out := bufio.NewScanner(c.Out); out.Scan(); {
		if n, err := strconv.Atoi(out.Text()); err == nil { // the last line may be cut
			acked = max(acked, n)
		}
	}
	_ = c.Wait()
	if c.Err.Len() > 0 {
		return 0, errors.New(c.Err.String())
	}
	return acked, nil
}
