package inject

import "github.com/aside-go/aside/compile/terms"

type Placement uint8

const (
	PlaceBlock Placement = iota
	PlaceText
	PlaceSystem
)

type Options struct {
	Placement Placement
	Mark      string
	Prefix    bool // [SYSTEM REMINDER] in place of the tag
}

func Messages(history []Message, due []terms.Due, opts Options) []Message { panic("stub") }
func Strip(history []Message, opts Options) []Message                     { panic("stub") }
