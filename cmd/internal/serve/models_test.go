package serve

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/aside-go/aside/inject/wire"
	"github.com/aside-go/aside/internal/api"
	"github.com/aside-go/aside/internal/model"
)

// TestModelTable: the places of a row are those that it lists; in a row from before there were any, those
// where its texts went.
func TestModelTable(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "models.yaml")
	const table = `
- {prefix: listed, places: [user, result], strips: true}
- {prefix: stripped, strips: true}
- {prefix: spoken, role: developer}
- {prefix: plain, role: user}
- {prefix: rest, binds: true}
`
	if err := os.WriteFile(path, []byte(table), 0o600); err != nil {
		t.Fatal(err)
	}
	rows, err := modelTable(path)
	if err != nil {
		t.Fatal(err)
	}
	got := map[string][]model.Place{}
	for _, row := range rows {
		got[row.Prefix] = api.Takes([]wire.Model{row})(row.Prefix).Places
	}
	own := []model.Place{model.Message, model.User, model.Result}
	if diff := cmp.Diff(map[string][]model.Place{"listed": {model.User, model.Result},
		"stripped": {model.Result, model.User}, "spoken": own, "plain": own, "rest": nil}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
