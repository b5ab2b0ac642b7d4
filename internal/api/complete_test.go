package api_test

import (
	"encoding/json"
	"net/http"
	"path/filepath"
	"strings"
	"testing"

	"github.com/aside-go/aside/internal/api"
	"github.com/aside-go/aside/internal/test/modelapi"
)

// vendors has, for each API of a vendor, the path of a turn and the error for a path that is not there.
var vendors = map[api.Name]struct{ path, fault string }{
	api.Anthropic: {
		path:  "/v1/messages",
		fault: `{"error":{"message":"x","type":"not_found_error"},"message":"x","type":"error"}`,
	},
	api.Chat: {
		path:  "/v1/chat/completions",
		fault: `{"error":{"code":null,"message":"x","param":null,"type":"not_found_error"}}`,
	},
	api.Responses: {
		path:  "/v1/responses",
		fault: `{"error":{"code":null,"message":"x","param":null,"type":"not_found_error"}}`,
	},
	api.Gemini: {
		path:  "/v1beta/models/m:generateContent",
		fault: `{"error":{"code":404,"message":"x","status":"NOT_FOUND"}}`,
	},
	api.Interactions: {
		path:  "/v1beta/interactions",
		fault: `{"error":{"code":404,"message":"x","status":"NOT_FOUND"}}`,
	},
	api.Converse: {path: "/model/m/converse", fault: `{"message":"x"}`},
}

// TestEachAPI: an API has all that the machine asks of it, a path by which it is known, a fake that reads its
// requests, and bodies and responses for the tests of the laws. Who adds an API is told by this test what is
// missing.
func TestEachAPI(t *testing.T) {
	t.Parallel()
	for _, name := range api.Names() {
		f, err := api.FormatOf(name)
		if err != nil {
			t.Fatal(err)
		}
		short := strings.TrimPrefix(string(name), "openai-")
		has := func(what string, ok bool) {
			if !ok {
				t.Errorf("%s has no %s", name, what)
			}
		}
		has("names", f.Messages != "" && f.Role != "" && f.Content != "" && f.Block[0] != "")
		has("readers", f.ReadMessage != nil && f.ReadBlock != nil && f.ReadMember != nil)
		has("rules about places", f.Round != nil && len(f.Places) > 0)
		has("role for a message of ours", len(f.Roles) > 0)
		has("bodies in inject/wire/testdata", found(t, "bodies", short+"-*") > 0)
		if name == api.Messages {
			continue // nobody answers in the generic shape
		}
		path := vendors[name].path
		has("path", path != "" && api.EndpointOf(path).API == name)
		refused := modelapi.Check(modelapi.Request{Path: path, Body: []byte(`{}`)}, nil)
		fault, err := json.Marshal(api.Fault(name, http.StatusNotFound, "x"))
		has("error of its shape", err == nil && string(fault) == vendors[name].fault)
		has("fake", refused != nil && refused.Status != 404 && refused.API.String() == short)
		has("responses in inject/wire/testdata", found(t, "streams", short+"*") > 0)
	}
}

func found(t *testing.T, folder, pattern string) int {
	t.Helper()
	files, err := filepath.Glob(filepath.Join("..", "..", "inject", "wire", "testdata", folder, pattern))
	if err != nil {
		t.Fatal(err)
	}
	return len(files)
}
