package scenarios

// answers finds what is wrong with the answers of a service as they are written.
func (v *validator) answers(s *Service) {
	path := "services." + s.Name + "."
	for _, field := range []string{"queue.full", "limiter.answer", "shed.answer", "rate_limit.answer"} {
		v.answer(path + field)
	}
	for i := range s.Faults {
		fault := path + "faults." + s.Faults[i].Name
		v.answer(fault + ".answer")
		mix := find(v.root, fault+".mix")
		if mix == nil || mix.kind != mapNode {
			continue
		}
		if len(mix.fields) == 0 {
			v.bad(fault+".mix", "must name an answer, each with its share", "as in {503: 90%, 429: 10%}; without mix there is one answer")
		}
		for _, e := range mix.fields {
			v.answer(fault + ".mix." + e.name)
		}
	}
}

// answer refuses what says how a wait is asked for where none is; set from
// somewhere else, it is only of no use.
func (v *validator) answer(path string) {
	n := find(v.root, path)
	if n == nil || n.kind != mapNode || n.value("retry_after") != nil || v.isUnread(join(path, "answer")) { // none switches off the rest too
		return
	}
	for _, e := range n.fields {
		zero, _ := parseDuration(e.val.text)
		switch {
		case e.name != "spread" && e.name != "form" || e.val.kind != scalarNode:
		case e.name == "form" && e.val.text == "seconds" || e.name == "spread" && zero == 0:
		case e.from == n.origin:
			v.bad(join(path, e.name), "needs retry_after: without it no wait is asked for", "")
			return
		default:
			v.idle(join(path, e.name), "has no effect: without retry_after no wait is asked for")
		}
	}
}
