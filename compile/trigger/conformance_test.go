package trigger_test

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"gopkg.in/yaml.v3"

	"github.com/aside-go/aside/compile/trigger"
	"github.com/aside-go/aside/internal/test/testkit"
)

// TestConformanceErrors holds the triggers that must not compile against the shared tests; what fires is
// eval's to show, but every trigger of a reminder there must compile.
func TestConformanceErrors(t *testing.T) {
	t.Parallel()
	files := testkit.DataGlob(t, "conformance", "*_test.yaml")
	wrong, right := 0, 0
	for _, file := range files {
		src, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var doc struct {
			Tests []struct {
				Name, Error string
				Trigger     *string
				Reminders   []struct{ When, While, Rearm string }
			}
		}
		if err := yaml.Unmarshal(src, &doc); err != nil {
			t.Fatal(err)
		}
		for _, c := range doc.Tests {
			if c.Trigger != nil && c.Error != "" {
				wrong++
				_, diags := trigger.Compile(*c.Trigger, nil)
				var said []string
				for _, d := range diags {
					said = append(said, fmt.Sprintf("%d:%d: %s (%s)", d.Range.Start.Line, d.Range.Start.Column,
						d.Message, d.Hint))
				}
				if re := regexp.MustCompile(c.Error); !diags.HasErrors() || !re.MatchString(strings.Join(said, "\n")) {
					t.Errorf("%s: %s: %q does not match %s", filepath.Base(file), c.Name, said, c.Error)
				}
			}
			if c.Error != "" {
				continue
			}
			for _, r := range c.Reminders {
				for _, src := range []string{r.When, r.While, r.Rearm} {
					if src == "" || strings.Contains(src, "vars.") {
						continue
					}
					right++
					if _, diags := trigger.Compile(src, nil); diags.HasErrors() {
						t.Errorf("%s: %s: %v", filepath.Base(file), c.Name, diags)
					}
				}
			}
		}
	}
	if wrong < 10 || right < 30 {
		t.Errorf("only %d wrong and %d right triggers found", wrong, right)
	}
}
