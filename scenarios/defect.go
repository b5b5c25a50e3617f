package scenarios

import (
	"slices"
	"strings"
)

// defect notes a library that is known to do something wrong, where its policy
// still does it.
func (v *validator) defect(path string, p *Policy) {
	preset, policy := v.presets.byName[p.Library], find(v.root, path)
	if preset == nil || policy == nil {
		return
	}
	body, w := preset.body(p.Version)
	if w != nil {
		return
	}
	preset = v.presets.weak(preset, body)
	if preset == nil || preset.isCorrected(policy) || !v.reproduces(preset, body, policy) {
		return
	}
	message := "a known weakness of the library is reproduced: " + preset.Defect
	switch {
	case len(preset.corrections) > 0:
		message += "; corrected by " + v.correction(preset, body)
	case preset.Corrected != "":
		message += "; corrected in " + preset.Corrected
	}
	v.warn(join(path, "library"), message)
}

// weak is the preset that names the defect of a version: itself, or one of the
// same library that waits as this version does and says what would be better.
func (all *catalogue) weak(p *preset, body *node) *preset {
	if p.Defect != "" {
		return p
	}
	for _, other := range all.presets {
		if other.Family != p.Family || other.Defect == "" || other.Corrected == "" {
			continue
		}
		old := other.bodies[len(other.bodies)-1].value("backoff")
		if own := body.value("backoff"); own != nil && old != nil && len(differences("backoff", own, old)) == 0 {
			return other
		}
	}
	return nil
}

// reproduces says whether something that the correction changes is still the
// library's own.
func (v *validator) reproduces(p *preset, body, policy *node) bool {
	changes := p.corrections
	if other := v.presets.byName[p.Corrected]; len(changes) == 0 && other != nil {
		better := other.bodies[len(other.bodies)-1]
		if changes = differences("backoff", body.value("backoff"), better.value("backoff")); len(changes) == 0 {
			changes = differences("", body, better)
		}
	}
	if len(changes) == 0 {
		return true // what is wrong is not in the policy
	}
	return slices.ContainsFunc(changes, func(c correction) bool { return isOwn(body, policy, c.path) })
}

// differences lists where two maps differ.
func differences(path string, a, b *node) []correction {
	if a == nil || b == nil || a.kind != mapNode || b.kind != mapNode {
		if a == nil && b == nil || a != nil && b != nil && a.String() == b.String() {
			return nil
		}
		return []correction{{path, b}}
	}
	var out []correction
	known := names(a)
	for _, name := range append(known, names(b)...) {
		if !slices.Contains(known, name) || a.value(name) != nil {
			out = append(out, differences(join(path, name), a.value(name), b.value(name))...)
		}
	}
	return out
}

// isOwn says whether a policy has at a path what its preset says, in parts of
// the same kind.
func isOwn(body, policy *node, path string) bool {
	parts := strings.Split(path, ".")
	for i := range parts[:len(parts)-1] {
		kind := strings.Join(parts[:i+1], ".") + ".kind"
		if written(body, kind) != written(policy, kind) {
			return false
		}
	}
	return written(body, path) == written(policy, path)
}

// correction says what to write. A kind that is written stands for a whole new
// value, so it is shown with the rest of it.
func (v *validator) correction(p *preset, body *node) string {
	var out []string
	for _, c := range p.corrections {
		section, isKind := strings.CutSuffix(c.path, ".kind")
		old := body.value(section)
		if !isKind || old == nil {
			out = append(out, c.path+": "+c.val.String())
			continue
		}
		e := *old.get("kind")
		e.val = c.val
		f := v.specs.of(typePolicy).field(section)
		_, t := v.specs.shapeOf(f.typ)
		out = append(out, section+": "+v.specs.of(t).used(old.with(e)).String())
	}
	return strings.Join(out, ", ")
}
