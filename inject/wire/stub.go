package wire

import (
	"github.com/aside-go/aside/compile/terms"
	"github.com/aside-go/aside/inject"
)

// Inject puts due into a request body of the generic shape by splicing; nothing due: body itself.
func Inject(body []byte, due []terms.Due, opts inject.Options) ([]byte, error) { panic("stub") }

// Strip removes what Inject put in.
func Strip(body []byte, opts inject.Options) ([]byte, error) { panic("stub") }
