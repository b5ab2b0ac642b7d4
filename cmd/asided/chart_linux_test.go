package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"text/template"

	"gopkg.in/yaml.v3"

	"github.com/aside-go/aside/cmd/internal/test/process"
	"github.com/aside-go/aside/internal/test/servers"
)

// object is a YAML mapping.
type object = map[string]any

// at returns a value by its path, such as "spec.replicas" or "spec.containers.0.name"; nil where there is
// none.
func at(v any, path string) any {
	for key := range strings.SplitSeq(path, ".") {
		switch o := v.(type) {
		case object:
			v = o[key]
		case []any:
			var i int
			if _, err := fmt.Sscan(key, &i); err != nil || i >= len(o) {
				return nil
			}
			v = o[i]
		default:
			return nil
		}
	}
	return v
}

// chart renders the chart as Helm does, with the functions that its templates use, and returns its objects by
// their kinds.
func chart(t *testing.T, values string) (map[string]object, error) {
	t.Helper()
	read := func(name string, into any) {
		b, err := os.ReadFile(filepath.Join("deploy/chart", name))
		if err == nil {
			err = yaml.Unmarshal(b, into)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	var about, all, more object
	read("Chart.yaml", &about)
	read("values.yaml", &all)
	if err := yaml.Unmarshal([]byte(values), &more); err != nil {
		t.Fatal(err)
	}
	for key, v := range more {
		if was, ok := all[key].(object); ok {
			maps.Copy(was, v.(object))
		} else {
			all[key] = v
		}
	}
	root := template.New("chart").Option("missingkey=zero")
	indent := func(n int, s string) string {
		return "\n" + strings.Repeat(" ", n) + strings.ReplaceAll(s, "\n",
			"\n"+strings.Repeat(" ", n))
	}
	root.Funcs(template.FuncMap{
		"include": func(name string, data any) (string, error) {
			var b bytes.Buffer
			err := root.ExecuteTemplate(&b, name, data)
			return strings.TrimSpace(b.String()), err
		},
		"toYaml": func(v any) (string, error) {
			b, err := yaml.Marshal(v)
			return strings.TrimSpace(string(b)), err
		},
		"nindent": indent,
		"quote":   func(v any) string { return fmt.Sprintf("%q", fmt.Sprint(v)) },
		"default": func(other, v any) any {
			if v == nil || v == "" {
				return other
			}
			return v
		},
		"required": func(what string, v any) (any, error) {
			if v == nil || v == "" {
				return nil, errors.New(what)
			}
			return v, nil
		},
		"add": func(all ...any) (sum int) {
			for _, v := range all {
				sum += v.(int)
			}
			return sum
		},
	})
	if _, err := root.ParseGlob("deploy/chart/templates/*"); err != nil {
		t.Fatal(err)
	}
	objects := map[string]object{}
	files, _ := filepath.Glob("deploy/chart/templates/*.yaml")
	for _, f := range files {
		var b bytes.Buffer
		if err := root.ExecuteTemplate(&b, filepath.Base(f), object{
			"Values": all, "Release": object{"Name": "r", "Namespace": "n"},
			"Chart": object{"AppVersion": about["appVersion"]}, "Files": chartFiles{},
		}); err != nil {
			return nil, err
		}
		var o object
		if err := yaml.Unmarshal(b.Bytes(), &o); err != nil {
			t.Fatalf("%s: %v\n%s", f, err, &b)
		}
		if o == nil {
			continue
		}
		kind, _ := o["kind"].(string)
		if kind == "" || o["apiVersion"] == nil || at(o, "metadata.name") == nil || objects[kind] != nil {
			t.Errorf("%s: %v", f, o)
		}
		objects[kind] = o
	}
	return objects, nil
}

// chartFiles are those of the chart, as its templates read them.
type chartFiles struct{}

// Get returns the text of a file, "" where there is none.
func (chartFiles) Get(name string) string {
	b, _ := os.ReadFile(filepath.Join("deploy/chart", name))
	return string(b)
}

// TestChart: the objects belong together, and ask for nothing that a careful cluster refuses.
func TestChart(t *testing.T) {
	t.Parallel()
	all, err := chart(t, `{state: {existingSecret: db}, token: {existingSecret: tok},
serviceMonitor: {enabled: true, labels: {release: prometheus}}, env: [{name: A, value: b}],
flags: ["--fail=closed"], podAnnotations: {a: b}, nodeSelector: {c: d}, rules: {a.md: "x"}}`)
	if err != nil {
		t.Fatal(err)
	}
	if got := slices.Sorted(maps.Keys(all)); !slices.Equal(got, []string{"ConfigMap", "Deployment",
		"PodDisruptionBudget", "Service", "ServiceMonitor"}) {
		t.Errorf("%q", got)
	}
	d := all["Deployment"]
	labels := fmt.Sprint(at(d, "spec.template.metadata.labels"))
	for kind, path := range map[string]string{"Deployment": "spec.selector.matchLabels",
		"Service":             "spec.selector",
		"PodDisruptionBudget": "spec.selector.matchLabels", "ServiceMonitor": "spec.selector.matchLabels"} {
		if got := fmt.Sprint(at(all[kind], path)); got != labels {
			t.Errorf("%s selects %s, pods have %s", kind, got, labels)
		}
	}
	c := at(d, "spec.template.spec.containers.0")
	for path, want := range map[string]any{
		"name": "asided", "image": "asided:0.1.0",
		"livenessProbe.httpGet.path": "/livez", "readinessProbe.httpGet.path": "/readyz",
		"securityContext.readOnlyRootFilesystem": true, "securityContext.allowPrivilegeEscalation": false,
		"securityContext.capabilities.drop.0": "ALL", "resources.limits.memory": "512Mi",
		"env.0.valueFrom.secretKeyRef.name": "tok", "env.1.valueFrom.secretKeyRef.name": "db",
		"env.0.name": "ASIDE_TOKEN", "env.1.name": "ASIDE_STATE",
		"ports.0.name": "http", "volumeMounts.0.name": at(d, "spec.template.spec.volumes.0.name"),
	} {
		if got := at(c, path); got != want {
			t.Errorf("%s: %v, want %v", path, got, want)
		}
	}
	for path, want := range map[string]any{
		"spec.template.spec.securityContext.runAsNonRoot":  true,
		"spec.template.spec.terminationGracePeriodSeconds": 80,
		"spec.template.spec.volumes.0.configMap.name":      at(all["ConfigMap"], "metadata.name"),
	} {
		if got := at(d, path); got != want {
			t.Errorf("%s: %v, want %v", path, got, want)
		}
	}
	if at(all["Service"], "spec.ports.0.targetPort") != "http" ||
		at(all["ServiceMonitor"], "spec.endpoints.0.port") != at(all["Service"], "spec.ports.0.name") {
		t.Error("the ports have other names")
	}
	plain, err := chart(t, `{state: {memory: true}, token: {existingSecret: tok}, rulesConfigMap: mine}`)
	if err != nil || len(plain) != 3 ||
		at(plain["Deployment"], "spec.template.spec.volumes.0.configMap.name") != "mine" {
		t.Errorf("%v %v", plain, err)
	}
	bundled, err := chart(t, `{state: {memory: true}, token: {existingSecret: tok},
bundle: {url: "https://rules.test/team.tar.gz", keyConfigMap: keys}}`)
	if args := fmt.Sprint(at(bundled["Deployment"], "spec.template.spec.containers.0.args")); err != nil ||
		!strings.Contains(args, "--bundle-key=/rules/public.pem --bundle-dir=/kept") ||
		strings.Contains(args, "--rules") || bundled["ConfigMap"] != nil ||
		at(bundled["Deployment"], "spec.template.spec.volumes.0.configMap.name") != "keys" ||
		at(bundled["Deployment"], "spec.template.spec.volumes.1.emptyDir") == nil {
		t.Errorf("%v %v", bundled, err)
	}
	for _, values := range []string{`{}`, `{token: {existingSecret: tok}}`, `{state: {existingSecret: db}}`} {
		if _, err := chart(t, values); err == nil || !strings.Contains(err.Error(),
			"existingSecret: the secret with") {
			t.Errorf("%s: %v", values, err)
		}
	}
}

// TestChartParts: what a cluster may have beside is there when it is asked for, and belongs to the pods.
func TestChartParts(t *testing.T) {
	t.Parallel()
	const needed = `state: {existingSecret: db}, tokens: {existingSecret: toks}, readToken: {existingSecret: read}`
	all, err := chart(t, `{`+needed+`, ca: {configMap: roots}, autoscaling: {enabled: true, maxReplicas: 5},
podMonitor: {enabled: true, labels: {release: prometheus}}, prometheusRule: {enabled: true},
networkPolicy: {enabled: true, from: [{podSelector: {}}], egress: [{ports: [{port: 5432}]}]},
volumes: [{name: mine, emptyDir: {}}], volumeMounts: [{name: mine, mountPath: /mine}]}`)
	if err != nil {
		t.Fatal(err)
	}
	d := all["Deployment"]
	labels := fmt.Sprint(at(d, "spec.template.metadata.labels"))
	for of, want := range map[string]any{
		"Deployment spec.replicas":                                                  nil,
		"Deployment spec.template.spec.containers.0.env.0.name":                     "ASIDE_STATE",
		"Deployment spec.template.spec.containers.0.env.1.name":                     "SSL_CERT_DIR",
		"Deployment spec.template.spec.containers.0.env.1.value":                    "/ca",
		"Deployment spec.template.spec.volumes.1.secret.secretName":                 "toks",
		"Deployment spec.template.spec.volumes.2.configMap.name":                    "roots",
		"Deployment spec.template.spec.volumes.3.name":                              "mine",
		"Deployment spec.template.spec.containers.0.volumeMounts.1.mountPath":       "/tokens",
		"Deployment spec.template.spec.containers.0.volumeMounts.2.mountPath":       "/ca",
		"Deployment spec.template.spec.containers.0.volumeMounts.3.mountPath":       "/mine",
		"HorizontalPodAutoscaler spec.scaleTargetRef.name":                          at(d, "metadata.name"),
		"HorizontalPodAutoscaler spec.minReplicas":                                  2,
		"HorizontalPodAutoscaler spec.maxReplicas":                                  5,
		"HorizontalPodAutoscaler spec.metrics.0.resource.target.averageUtilization": 70,
		"NetworkPolicy spec.podSelector.matchLabels":                                labels,
		"NetworkPolicy spec.policyTypes":                                            "[Ingress Egress]",
		"NetworkPolicy spec.ingress.0.ports.0.port":                                 "http",
		"NetworkPolicy spec.ingress.0.from":                                         "[map[podSelector:map[]]]",
		"NetworkPolicy spec.egress.0.ports.0.port":                                  5432,
		"PodMonitor spec.selector.matchLabels":                                      labels,
		"PodMonitor metadata.labels.release":                                        "prometheus",
		"PodMonitor spec.podMetricsEndpoints.0.port":                                "http",
		"PodMonitor spec.podMetricsEndpoints.0.path":                                "/metrics",
		"PodMonitor spec.podMetricsEndpoints.0.authorization.credentials.name":      "read",
		"PrometheusRule spec.groups.0.rules.0.alert":                                "AsideRulesStale",
		"PrometheusRule spec.groups.0.rules.1.annotations.summary": "{{ $labels.instance }} has not " +
			"reached the server of its rules",
	} {
		kind, path, _ := strings.Cut(of, " ")
		if got := at(all[kind], path); fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("%s: %v, want %v", of, got, want)
		}
	}
	if args := fmt.Sprint(at(d, "spec.template.spec.containers.0.args")); !strings.Contains(args,
		"--tokens=/tokens/tokens ") {
		t.Error(args)
	}
	all, err = chart(t, `{`+needed+`, networkPolicy: {enabled: true}}`)
	if p := all["NetworkPolicy"]; err != nil || len(all) != 5 ||
		fmt.Sprint(at(p, "spec.policyTypes"), at(p, "spec.egress"), at(p, "spec.ingress.0.from")) !=
			"[Ingress] <nil> <nil>" {
		t.Errorf("%v %v", all, err)
	}
	for _, kind := range []string{"serviceMonitor", "podMonitor"} {
		values := `{state: {memory: true}, tokens: {existingSecret: toks}, ` + kind + `: {enabled: true}}`
		if _, err := chart(t, values); err == nil || !strings.Contains(err.Error(), "readToken.existingSecret") {
			t.Errorf("%s without a token: %v", kind, err)
		}
	}
}

// TestChartRuns: the container's own command, over a volume as a cluster lays it out, is ready, and reads
// rules again when the volume changes.
func TestChartRuns(t *testing.T) {
	t.Parallel()
	all, err := chart(t, `{state: {memory: true}, tokens: {existingSecret: toks},
rules: {kind.md: "---\nwhile: always\n---\nBe kind.\n"}}`)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	publish := func(version string, files object) {
		for name, text := range files {
			process.Put(t, dir, filepath.Join("rules", version, name), text.(string))
			if _, err := os.Lstat(filepath.Join(dir, "rules", name)); err != nil {
				process.Link(t, dir, filepath.Join("rules", name), filepath.Join("..data", name))
			}
		}
		process.Link(t, dir, "rules/..new", version)
		if err := os.Rename(filepath.Join(dir, "rules/..new"), filepath.Join(dir, "rules/..data")); err != nil {
			t.Fatal(err)
		}
	}
	files := all["ConfigMap"]["data"].(object)
	publish("..1", files)
	var args []string
	for _, a := range at(all["Deployment"], "spec.template.spec.containers.0.args").([]any)[1:] {
		if a := a.(string); !strings.HasPrefix(a, "--listen") {
			args = append(args, strings.Replace(a, "=/", "=", 1))
		}
	}
	process.Put(t, dir, "tokens/tokens", "console read secret\n")
	s := exe.Serve(t, dir, nil, args...)
	for token, want := range map[string]int{"": http.StatusUnauthorized, "secret": http.StatusOK} {
		r := httptest.NewRequest("GET", "/v1/runs", nil)
		r.Header.Set("X-Aside-Token", token)
		res, err := s.RoundTrip(r)
		if err != nil {
			t.Fatal(err)
		}
		if res.Body.Close(); res.StatusCode != want {
			t.Errorf("token %q: %d, want %d", token, res.StatusCode, want)
		}
	}
	if live, ready := s.Ask("GET", "/livez", ""), s.Ask("GET", "/readyz", ""); !strings.Contains(live, `"ok"`) ||
		!strings.Contains(ready, `"status":"ready"`) {
		t.Errorf("%s %s", live, ready)
	}
	files["more.md"] = "---\nwhile: always\n---\nBe kinder.\n"
	publish("..2", files)
	if line := s.Await("rules reloaded"); !strings.Contains(line, `"rules":2`) {
		t.Error(line)
	}
}

// TestCompose: the command of the compose file runs against a real PostgreSQL, and the file waits for it.
func TestCompose(t *testing.T) {
	t.Parallel()
	b, err := os.ReadFile("deploy/compose/compose.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var c object
	if err := yaml.Unmarshal(b, &c); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]any{
		"services.asided.depends_on.postgres.condition": "service_healthy", "services.asided.image": "asided",
		"services.asided.read_only": true, "services.asided.ports.0": "127.0.0.1:7717:7717",
		"services.postgres.healthcheck.test.0": "CMD-SHELL", "services.postgres.environment.POSTGRES_DB": "aside",
	} {
		if got := at(c, path); got != want {
			t.Errorf("%s: %v, want %v", path, got, want)
		}
	}
	env := []string{"ASIDE_TOKEN=secret", "PGPASSWORD=secret"}
	database, err := url.Parse(servers.Postgres(t))
	if err != nil {
		t.Fatal(err)
	}
	named, err := url.Parse(at(c, "services.asided.environment.ASIDE_STATE").(string))
	if err != nil || named.Host != "postgres" || named.Path != "/"+at(c,
		"services.postgres.environment.POSTGRES_DB").(string) {
		t.Errorf("%s %v", named, err)
	}
	named.Host, named.Path = database.Host, database.Path
	env = append(env, "ASIDE_STATE="+named.String())
	var args []string
	for _, a := range at(c, "services.asided.command").([]any)[1:] {
		if a := a.(string); !strings.HasPrefix(a, "--listen") {
			args = append(args, strings.Replace(a, "/rules", "rules", 1))
		}
	}
	dir := t.TempDir()
	if err := os.CopyFS(filepath.Join(dir, "rules"), os.DirFS("deploy/compose/rules")); err != nil {
		t.Fatal(err)
	}
	s := exe.Serve(t, dir, env, args...)
	if ready := s.Ask("GET", "/readyz", ""); !strings.Contains(ready, `"status":"ready"`) ||
		!strings.Contains(ready, `"reminders":1`) || !strings.Contains(s.Said.String(), "postgres://") {
		t.Error(ready)
	}
}

// TestDockerfile: its steps copy what is there, and the command of the image is ready as nobody's.
func TestDockerfile(t *testing.T) {
	t.Parallel()
	b, err := os.ReadFile("deploy/Dockerfile")
	if err != nil {
		t.Fatal(err)
	}
	const root = "../.."
	var env, args []string
	made := map[string]bool{"/etc/ssl/certs/ca-certificates.crt": true} // the image golang has it
	lines := map[string]bool{}
	// a step may go on in the next line
	for line := range strings.Lines(strings.ReplaceAll(string(b), "\\\n", " ")) {
		line = strings.TrimSpace(line)
		lines[line] = true
		step, rest, _ := strings.Cut(line, " ")
		words := strings.Fields(rest)
		switch step {
		case "ENV":
			env = append(env, rest)
		case "ENTRYPOINT", "CMD":
			var list []string
			if err := json.Unmarshal([]byte(rest), &list); err != nil {
				t.Errorf("%s: %v", line, err)
			}
			args = append(args, list...)
		case "RUN":
			if i := slices.Index(words, "-o"); i > 0 {
				made[words[i+1]] = true
				from := words[len(words)-1]
				if _, err := os.Stat(filepath.Join(root, from, "main.go")); err != nil ||
					filepath.Base(from) != filepath.Base(words[i+1]) {
					t.Errorf("%s: %v", line, err)
				}
			}
		case "COPY":
			there := func(name string) bool { _, err := os.Stat(filepath.Join(root, name)); return err == nil }
			if words[0] == "--from=build" {
				words, there = words[1:], func(name string) bool { return made[name] }
			}
			for _, name := range words[:len(words)-1] {
				if !there(name) {
					t.Errorf("%s: there is no %s", line, name)
				}
			}
			made[words[len(words)-1]] = true
		}
	}
	if !lines["FROM scratch"] || !lines["USER 65532:65532"] || len(args) < 3 || !made[args[0]] ||
		filepath.Base(args[0]) != string(exe) || args[1] != "serve" ||
		!slices.Contains(args, "--listen=0.0.0.0:7717") || !lines["EXPOSE 7717"] {
		t.Errorf("%q in\n%s", args, b)
	}
	args = slices.DeleteFunc(args[2:], func(a string) bool { return strings.HasPrefix(a, "--listen") })
	s := exe.Serve(t, t.TempDir(), append(env, "ASIDE_TOKEN=secret"), args...)
	s.Await("remembered in memory")
	if ready := s.Ask("GET", "/readyz", ""); !strings.Contains(ready, `"ready"`) {
		t.Error(ready)
	}
}
