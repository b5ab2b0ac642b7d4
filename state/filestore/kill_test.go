package filestore

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

// commitForEver takes the run over one turn after another, and says each that was acknowledged.
func commitForEver(args []string, _ io.Reader, out io.Writer) error {
	o := Options{}
	if args[1] == "process" {
		o.Durability = Process
	}
	s, err := o.Open(args[0])
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

// TestS9Kills kills processes at random moments of a commit: nothing is torn, nothing that was acknowledged is lost, and no
// temporary file is left after the next Open. Every tenth begins in a directory that is not there.
func TestS9Kills(t *testing.T) {
	t.Parallel()
	kills := 100
	switch {
	case *long:
		kills = 10_000
	case slow():
		kills = 500
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
		sum.kills, sum.turns, sum.temps, sum.dirty = sum.kills+s.kills, sum.turns+s.turns, sum.temps+s.temps, sum.dirty+s.dirty
	}
	if sum.kills != kills || sum.turns == 0 {
		t.Errorf("%+v: this shows nothing", sum)
	}
	t.Logf("%+v", sum)
}

// killed is what was seen: kills, turns that were committed, temporary files and marks that kills left.
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
		if dirty, err := s.dirty(fileName("run")); err == nil && dirty {
			sum.dirty++
		}
		snap, _, err := s.Load(t.Context(), "run")
		if err != nil {
			t.Errorf("after a kill: %v", err)
			return sum
		}
		if now := snap.Turn(); now < max(acked, turns) || now > max(acked, turns)+1 || snap.Rule("r").Fires != now/2 {
			t.Errorf("turn %d, %d fires; %d was acknowledged, and %d was there before", now, snap.Rule("r").Fires, acked, turns)
		}
		sum.turns += snap.Turn() - turns
		turns = snap.Turn()
	}
	return sum
}

// killOne starts a process, kills it within the time of a few commits, and returns the last turn it acknowledged.
func killOne(t *testing.T, r *rand.Rand, dir, how string) (acked int, err error) {
	c := prepare(t, "commits", dir, how)
	if err := c.Start(); err != nil {
		return 0, err
	}
	// One in four is not let come to its first commit: opening, and first creation, are among the moments.
	if r.IntN(4) > 0 {
		s, err := c.line()
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
	for out := bufio.NewScanner(c.out); out.Scan(); {
		if n, err := strconv.Atoi(out.Text()); err == nil { // the last line may be cut
			acked = max(acked, n)
		}
	}
	_ = c.Wait()
	if c.err.Len() > 0 {
		return 0, errors.New(c.err.String())
	}
	return acked, nil
}
