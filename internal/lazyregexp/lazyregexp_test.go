package lazyregexp_test

import (
	"testing"

	"github.com/aside-go/aside/internal/lazyregexp"
)

func TestNew(t *testing.T) {
	t.Parallel()
	digits := lazyregexp.New(`^\d+$`)
	if !digits().MatchString("123") || digits().MatchString("12a") {
		t.Error("it does not match as its pattern does")
	}
	if first := digits(); first != digits() {
		t.Error("compiled twice")
	}
}

func TestNoPattern(t *testing.T) {
	t.Parallel()
	none := lazyregexp.New(`(`) // nothing is compiled here
	defer func() {
		if recover() == nil {
			t.Error("a pattern that is none did not panic when it was used")
		}
	}()
	none()
}
