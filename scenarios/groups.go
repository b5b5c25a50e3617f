package scenarios

import "fmt"

// groups checks the groups of clients.
func (v *validator) groups() {
	groups := v.scenario.AllGroups()
	if len(groups) == 0 && !v.isUnread("clients") && !v.isUnread("groups") {
		v.bad("clients", "missing", "a group, or several by name in groups")
	}
	for i := range v.scenario.Groups {
		if v.scenario.Groups[i].Name == "clients" {
			v.bad("groups.clients", "clients is the name of the group at the top; give this one another", "")
			return
		}
	}
	total := int64(0)
	for _, g := range groups {
		path := g.path()
		v.check(join(path, "arrival"), g.Arrival.Validate)
		total += min(g.Count, maxClients+1)
		switch {
		case g.Count > maxClients:
			v.bad(join(path, "count"), "too many clients to hold in memory", fmt.Sprintf("1 to %d", maxClients))
		case total > maxClients && total-g.Count <= maxClients:
			v.bad(join(path, "count"), "too many clients to hold in memory", fmt.Sprintf("%d in all groups together", maxClients))
		}
		v.costs(&g)
		if g.Processes != nil && *g.Processes > g.Count {
			v.bad(join(path, "processes"), "more processes than clients", fmt.Sprintf("1 to count (%d)", g.Count))
		}
	}
}
