package wire

import (
	"fmt"

	"github.com/aside-go/aside/inject"
	"github.com/aside-go/aside/internal/mark"
	"github.com/aside-go/aside/internal/outline"
)

// Delivery is how long a text stays in the requests of its run, and so where it goes.
type Delivery uint8

const (
	Auto     Delivery = iota // as the model's row says: Native where it can be, else Anchored
	Native                   // a system message that the API itself lets lapse with the turn; later requests must repeat it to the byte
	Anchored                 // behind the message that it belongs to; later requests must repeat it to the byte
	Tail                     // at the very end of this request alone
	Stateful                 // in a conversation that the server keeps, so never sent twice; only ever reported
)

var deliveries = [...]string{"auto", "native", "anchored", "tail", "stateful"}

// String returns the delivery as the command line writes it: "auto", "native", "anchored", "tail" or "stateful".
func (d Delivery) String() string {
	if int(d) < len(deliveries) {
		return deliveries[d]
	}
	return fmt.Sprintf("Delivery(%d)", uint8(d))
}

// Options say where texts go, and how. The zero Options are those of the generic shape.
type Options struct {
	inject.Options // Placement is for Messages alone
	API            API
	Delivery       Delivery // for all APIs but Messages
	Model          string   // the model of a body that does not name one; a name in the body wins
	Models         []Model  // rows that go before the table
}

func (o Options) tag() mark.Options {
	return mark.Options{Mark: o.Mark, Prefix: o.Prefix, KeepForged: o.KeepForged}
}

func (o Options) outline() outline.Options {
	return outline.Options{Placement: outline.Placement(o.Placement), Options: o.tag()}
}

// Report says what became of the due texts.
type Report struct {
	Model    string   // as the body names it, else the options; "" if neither does
	Delivery Delivery // of the texts that were put; Auto if none was
	Beta     string   // a value that the request's anthropic-beta header must hold for the body to be accepted; "": none
	Held     []Held   // the texts that were not put
}

// Held is a group of texts that could not be put into this request, and that stay due.
type Held struct {
	Texts int    // how many texts
	Why   string // why, in one line
}
