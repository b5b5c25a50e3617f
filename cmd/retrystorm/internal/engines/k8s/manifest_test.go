package k8s

import (
	"io/fs"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	batch "k8s.io/api/batch/v1"
	core "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	meta "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/validation"
	"sigs.k8s.io/yaml"

	"retrystorm/cmd/retrystorm/internal/engines"
)

// manifest is what is in a file, decoded with nothing left over.
type manifest struct {
	volume        core.PersistentVolumeClaim
	config        *core.ConfigMap
	shards, merge batch.Job
}

func emit(t *testing.T, o engines.EmitOptions) manifest {
	t.Helper()
	text, err := engines.Emit("k8s", o)
	if err != nil {
		t.Fatal(err)
	}
	var m manifest
	for doc := range strings.SplitSeq(string(text), "\n---\n") { // as kubectl does
		decode := func(v any) {
			t.Helper()
			if err := yaml.UnmarshalStrict([]byte(doc), v); err != nil {
				t.Fatalf("%v\n%s", err, doc)
			}
		}
		var is struct {
			meta.TypeMeta   `json:",inline"`
			meta.ObjectMeta `json:"metadata"`
		}
		if err := yaml.Unmarshal([]byte(doc), &is); err != nil {
			t.Fatalf("%v\n%s", err, doc)
		}
		switch is.APIVersion + " " + is.Kind {
		case "v1 PersistentVolumeClaim":
			decode(&m.volume)
		case "v1 ConfigMap":
			m.config = &core.ConfigMap{}
			decode(m.config)
		case "batch/v1 Job":
			switch {
			case strings.HasSuffix(is.Name, "-shards"):
				decode(&m.shards)
			case strings.HasSuffix(is.Name, "-merge"):
				decode(&m.merge)
			default:
				t.Fatalf("the Job %s", is.Name)
			}
		default:
			t.Fatalf("a %s %s", is.APIVersion, is.Kind)
		}
		// The pods of an Indexed Job are named after it, with their index.
		for _, e := range validation.IsDNS1123Label(is.Name + "-9999") {
			t.Errorf("%s: %s", is.Name, e)
		}
		for k, v := range is.Labels {
			for _, e := range slices.Concat(validation.IsQualifiedName(k), validation.IsValidLabelValue(v)) {
				t.Errorf("%s: label %s: %s: %s", is.Name, k, v, e)
			}
		}
	}
	return m
}

func options(t *testing.T) engines.EmitOptions {
	t.Helper()
	file, err := os.ReadFile("../testdata/odd.yaml")
	if err != nil {
		t.Fatal(err)
	}
	return engines.EmitOptions{
		Scenario: "odd", Source: "odd.yaml", File: file, Shards: 12, Image: "registry.example/retrystorm:1", Memory: 512 << 20,
		Data: map[string][]byte{"data/monday.csv": []byte("t_s\n1\n"), "times $(A).csv": []byte("seconds\r\n0.1\r\n")},
		Run:  []string{"--seed", "7", "--set", "a={b: 1}"}, Merge: []string{"--strict"}, JUnit: "odd.xml",
	}
}

func equal[T comparable](t *testing.T, what string, got, want T) {
	t.Helper()
	if got != want {
		t.Errorf("%s: %v, want %v", what, got, want)
	}
}

// number is what a field has, or -1.
func number(n *int32) int32 {
	if n == nil {
		return -1
	}
	return *n
}

func yes(b *bool) bool { return b != nil && *b }

func no(b *bool) bool { return b != nil && !*b }

func TestShards(t *testing.T) {
	m := emit(t, options(t))
	s := &m.shards.Spec
	if s.CompletionMode == nil || *s.CompletionMode != batch.IndexedCompletion {
		t.Error("not indexed")
	}
	equal(t, "completions", number(s.Completions), 12)
	equal(t, "parallelism", number(s.Parallelism), 12)
	equal(t, "backoffLimitPerIndex", number(s.BackoffLimitPerIndex), 3)
	equal(t, "maxFailedIndexes", number(s.MaxFailedIndexes), 2)
	if s.BackoffLimit != nil {
		t.Error("a backoffLimit for all shards together")
	}
	if s.Suspend != nil {
		t.Error("suspended")
	}
	if s.PodReplacementPolicy == nil || *s.PodReplacementPolicy != batch.Failed {
		t.Error("two pods may work on one shard")
	}

	rules := s.PodFailurePolicy.Rules
	equal(t, "rules", len(rules), 2)
	equal(t, "a disruption", rules[0].Action, batch.PodFailurePolicyActionIgnore)
	equal(t, "a disruption", rules[0].OnPodConditions[0], batch.PodFailurePolicyOnPodConditionsPattern{Type: core.DisruptionTarget, Status: core.ConditionTrue})
	equal(t, "bad input", rules[1].Action, batch.PodFailurePolicyActionFailJob)
	codes := rules[1].OnExitCodes
	equal(t, "bad input, operator", codes.Operator, batch.PodFailurePolicyOnExitCodesOpIn)
	if !slices.Equal(codes.Values, []int32{2}) {
		t.Errorf("bad input: exit codes %v", codes.Values)
	}

	c := pod(t, &m, &m.shards)
	if codes.ContainerName == nil || *codes.ContainerName != c.Name {
		t.Error("the exit code of another container")
	}
	want := []string{"run", "/scenario/odd.yaml", "-o", "/results/odd.shards", "--resume", "--jobs=1", "--seed", "7", "--set", "a={b: 1}"}
	if !slices.Equal(c.Args, want) {
		t.Errorf("args: %q, want %q", c.Args, want)
	}

	// What the container will see makes it one of the shards.
	for _, k := range []int{1, 12} {
		env := map[string]string{"JOB_COMPLETION_INDEX": []string{"0", "11"}[k/12]}
		for _, e := range c.Env {
			env[e.Name] = e.Value
		}
		got, err := engines.Detect(func(name string) string { return env[name] })
		if err != nil || got.K != k || got.N != 12 {
			t.Errorf("shard %d: %+v, %v", k, got, err)
		}
	}
}

func TestMerge(t *testing.T) {
	m := emit(t, options(t))
	s := &m.merge.Spec
	if !yes(s.Suspend) {
		t.Error("it begins before the shards have ended")
	}
	equal(t, "backoffLimit", number(s.BackoffLimit), 0)
	equal(t, "completions", number(s.Completions), 1)
	equal(t, "a disruption", s.PodFailurePolicy.Rules[0].Action, batch.PodFailurePolicyActionIgnore)
	c := pod(t, &m, &m.merge)
	want := []string{"merge", "/results/odd.shards", "-o", "/results/odd.result", "--junit", "odd.xml", "--strict"}
	if !slices.Equal(c.Args, want) {
		t.Errorf("args: %q, want %q", c.Args, want)
	}
	for _, e := range c.Env {
		t.Errorf("%s=%s", e.Name, e.Value)
	}
}

// pod checks what both Jobs have, and gives the container.
func pod(t *testing.T, m *manifest, job *batch.Job) *core.Container {
	t.Helper()
	p := &job.Spec.Template.Spec
	equal(t, "restartPolicy", p.RestartPolicy, core.RestartPolicyNever)
	if p.ActiveDeadlineSeconds == nil || *p.ActiveDeadlineSeconds != 3600 {
		t.Error("no time limit of an hour")
	}
	if !no(p.AutomountServiceAccountToken) || !no(p.EnableServiceLinks) {
		t.Error("it gets what it does not need")
	}
	sc := p.SecurityContext
	if !yes(sc.RunAsNonRoot) || *sc.RunAsUser == 0 || *sc.FSGroup == 0 || sc.SeccompProfile.Type != core.SeccompProfileTypeRuntimeDefault {
		t.Errorf("security of the pod: %+v", sc)
	}

	equal(t, "containers", len(p.Containers), 1)
	c := &p.Containers[0]
	equal(t, "image", c.Image, "registry.example/retrystorm:1")
	if !slices.Equal(c.Command, []string{"retrystorm"}) {
		t.Errorf("command: %q", c.Command)
	}
	cs := c.SecurityContext
	if !no(cs.AllowPrivilegeEscalation) || !yes(cs.ReadOnlyRootFilesystem) || !slices.Equal(cs.Capabilities.Drop, []core.Capability{"ALL"}) {
		t.Errorf("security of the container: %+v", cs)
	}
	memory := resource.MustParse("512Mi")
	for what, list := range map[string]core.ResourceList{"requests": c.Resources.Requests, "limits": c.Resources.Limits} {
		if got := list[core.ResourceMemory]; got.Cmp(memory) != 0 {
			t.Errorf("%s: %v of memory", what, got.String())
		}
	}

	volumes := map[string]core.Volume{}
	for _, v := range p.Volumes {
		volumes[v.Name] = v
	}
	for _, mount := range c.VolumeMounts {
		v := volumes[mount.Name]
		switch mount.MountPath {
		case "/results":
			equal(t, "claim", v.PersistentVolumeClaim.ClaimName, m.volume.Name)
		case "/scenario":
			equal(t, "config", v.ConfigMap.Name, m.config.Name)
			equal(t, "config, read only", mount.ReadOnly, true)
			paths(t, m.config, v.ConfigMap.Items)
		default:
			t.Errorf("a volume at %s", mount.MountPath)
		}
		delete(volumes, mount.Name)
	}
	if len(volumes) > 0 {
		t.Errorf("volumes for nothing: %v", volumes)
	}
	return c
}

// paths checks that each key of a ConfigMap becomes a file, as the API takes it.
func paths(t *testing.T, config *core.ConfigMap, items []core.KeyToPath) {
	t.Helper()
	seen := map[string]bool{}
	for _, item := range items {
		for _, e := range validation.IsConfigMapKey(item.Key) {
			t.Errorf("key %s: %s", item.Key, e)
		}
		if _, ok := config.Data[item.Key]; !ok {
			t.Errorf("%s: no key %s", item.Path, item.Key)
		}
		if !fs.ValidPath(item.Path) || strings.HasPrefix(item.Path, "..") || seen[item.Path] {
			t.Errorf("the path %s", item.Path)
		}
		seen[item.Path] = true
	}
	equal(t, "files", len(items), len(config.Data))
}

// What the pod sees below /scenario.
func TestDataArrives(t *testing.T) {
	o := options(t)
	m := emit(t, o)
	want := map[string]string{"odd.yaml": string(o.File)}
	for name, text := range o.Data {
		want[name] = string(text)
	}
	for _, job := range []*batch.Job{&m.shards, &m.merge} {
		got := map[string]string{}
		for _, v := range job.Spec.Template.Spec.Volumes {
			if v.ConfigMap == nil {
				continue
			}
			for _, item := range v.ConfigMap.Items {
				got[item.Path] = m.config.Data[item.Key]
			}
		}
		if !maps.Equal(got, want) {
			t.Errorf("%s: %q, want %q", job.Name, got, want)
		}
	}
}

func TestFileArrives(t *testing.T) {
	o := options(t)
	for _, text := range []string{string(o.File), "a: 1", "a: 1\n", "a\r\nb\x00", "  a\n\n\n"} {
		o.File = []byte(text)
		if got := emit(t, o).config.Data["odd.yaml"]; got != text {
			t.Errorf("%q became %q", text, got)
		}
	}
}

func TestVolume(t *testing.T) {
	m := emit(t, options(t))
	if !slices.Equal(m.volume.Spec.AccessModes, []core.PersistentVolumeAccessMode{core.ReadWriteMany}) {
		t.Errorf("access modes %v", m.volume.Spec.AccessModes)
	}
}

// Names that YAML takes for something else, the longest one, and the most shards.
func TestOthers(t *testing.T) {
	for _, name := range []string{"on", "null", "y", "a-", strings.Repeat("a", 63), "a" + strings.Repeat("-", 62)} {
		m := emit(t, engines.EmitOptions{Scenario: name, Source: name, Shards: engines.MostShards, Image: "i"})
		if m.config != nil {
			t.Errorf("%s: a file, of a built-in scenario", name)
		}
		equal(t, "completions", number(m.shards.Spec.Completions), int32(engines.MostShards))
		if n := number(m.shards.Spec.MaxFailedIndexes); n > 10_000 {
			t.Errorf("maxFailedIndexes %d: Kubernetes allows 10,000", n)
		}
	}
}
