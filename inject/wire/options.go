package wire

import (
	"fmt"

	"github.com/aside-go/aside/inject"
)

// Delivery says how a text goes out, and what becomes of it in later requests.
type Delivery uint8

const (
	Auto     Delivery = iota // what the model's row says
	Native                   // a system message that the API itself lets lapse; later requests must repeat it to the byte
	Anchored                 // behind the message it belongs to; later requests must repeat it to the byte
	Tail                     // at the very end, this once
	Stateful                 // in a conversation that the server keeps: never sent twice; only ever reported
)

var deliveries = [...]string{"auto", "native", "anchored", "tail", "stateful"}

// String returns the delivery as the command line writes it.
func (d Delivery) String() string {
	if int(d) < len(deliveries) {
		return deliveries[d]
	}
	return fmt.Sprintf("Delivery(%d)", uint8(d))
}

// Options say where texts go and how. The zero Options are those of the generic shape.
type Options struct {
	inject.Options          // Placement is of Messages alone
	API            API      //
	Delivery       Delivery // of all but Messages
	Model          string   // the model, for bodies that do not name it; the body's own name wins
	Models         []Model  // rows that go before those of Models
}

// Report says what became of the due texts.
type Report struct {
	Model    string   // as the body or the options name it; "" if neither does
	Delivery Delivery // of what was put; Auto if nothing was
	Beta     string   // a value that the request's anthropic-beta header must hold, for it to be accepted
	Held     []Held   // what was not put
	Tail     bool     // the body was read from its end alone
}

// Held is a group of texts that could not be put into this request, and stay due.
type Held struct {
	Texts int    // how many
	Why   string // one line
}
