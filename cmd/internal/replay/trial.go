package replay

import (
	"context"
	"errors"
	"os"
	"path/filepath"

	"github.com/aside-go/aside/cmd/internal/sample"
	"github.com/aside-go/aside/cmd/internal/transcript"
	"github.com/aside-go/aside/internal/agent"
)

// Trial is what rules would have done in the newest session of an agent on this machine, or in the sample
// where there is none.
type Trial struct {
	Path  string // the file of the session; "": the sample
	Agent string // its title; "" where that is not known
	Kept
}

// Try replays the newest session with o.Set, and o.Only of it. It sets the other options but Owner, Progress
// and Err.
func Try(ctx context.Context, o Options) (*Trial, error) {
	t := &Trial{}
	if o.Home != "" {
		t.Path = transcript.Newest(o.Home)
	}
	o.Paths, o.Views = []string{t.Path}, []View{&t.Kept}
	if t.Path == "" {
		o.Paths, o.Files, o.Progress, o.Err = []string{"sample"}, sample.Sessions, false, nil
	}
	for _, a := range agent.All() {
		if is, _ := filepath.Match(a.Sessions(os.Getenv, o.Home), t.Path); is && t.Path != "" {
			t.Agent = a.Title
		}
	}
	if err := Run(ctx, o); err != nil {
		return t, err
	}
	if t.Report == nil || t.Turns == 0 {
		return t, errors.New("the session has no turns")
	}
	return t, nil
}
