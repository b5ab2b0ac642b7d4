package reminder

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

var (
	tiers    = [...]string{"guidance", "correctness", "safety"}
	attaches = [...]string{"tail", "user_turn", "run_start"}
)

// MarshalText implements encoding.TextMarshaler: a tier as rule files write it.
func (t Tier) MarshalText() ([]byte, error) { return name("tier", tiers[:], int(t)) }

// UnmarshalText implements encoding.TextUnmarshaler; it accepts only results of MarshalText.
func (t *Tier) UnmarshalText(b []byte) error { return parse(t, "tier", tiers[:], b) }

// MarshalText implements encoding.TextMarshaler: attach as rule files write it.
func (a Attach) MarshalText() ([]byte, error) { return name("attach", attaches[:], int(a)) }

// UnmarshalText implements encoding.TextUnmarshaler; it accepts only results of MarshalText.
func (a *Attach) UnmarshalText(b []byte) error { return parse(a, "attach", attaches[:], b) }

// MarshalText implements encoding.TextMarshaler: keep as rule files write it, "" for the default.
func (k Keep) MarshalText() ([]byte, error) {
	if k.Unit > KeepConversation {
		return nil, fmt.Errorf("there is no keep %d", k.Unit)
	}
	return []byte(k.String()), nil
}

// UnmarshalText implements encoding.TextUnmarshaler; it accepts results of MarshalText, "1 turns" and
// "1 user turn(s)".
func (k *Keep) UnmarshalText(b []byte) error {
	switch s := string(b); s {
	case "":
		*k = Keep{}
	case "user turn":
		*k = Keep{Unit: KeepUserTurns, N: 1}
	case "conversation":
		*k = Keep{Unit: KeepConversation}
	default:
		digits, unit, _ := strings.Cut(s, " ")
		n, err := strconv.ParseUint(digits, 10, 31)
		unit, user := strings.CutPrefix(unit, "user ")
		if err != nil || digits[0] == '+' || unit != "turns" && (unit != "turn" || n != 1) || n == 0 {
			return fmt.Errorf("there is no keep %q: N turns, user turn, N user turns, conversation", s)
		}
		*k = Keep{Unit: KeepTurns, N: int(n)}
		if user {
			k.Unit = KeepUserTurns
		}
	}
	return nil
}

func name(kind string, names []string, i int) ([]byte, error) {
	if i >= len(names) {
		return nil, fmt.Errorf("there is no %s %d", kind, i)
	}
	return []byte(names[i]), nil
}

// parse sets *v to the index of b among the names.
func parse[T ~uint8](v *T, kind string, names []string, b []byte) error {
	i := slices.Index(names, string(b))
	if i < 0 {
		return fmt.Errorf("there is no %s %q: %s", kind, b, strings.Join(names, ", "))
	}
	*v = T(i)
	return nil
}
