// Draws a View into an element: Retrystorm.render(root, view, options) gives
// {update(view), destroy()}.
//
// Options: live (replications are still running), compact (half the width, for two
// side by side), links (the page is ours: sections have addresses, and the theme a
// button), heading (the level of the first heading, 2 when nothing is said).
(function (R) {
  "use strict";

  const shownFirst = 8; // variants in the charts before anybody chooses
  const printWidth = 680; // of a chart on a page of paper

  R.render = (root, view, options) => new App(root, view, options || {});

  class App {
    constructor(root, view, options) {
      this.root = root;
      this.options = options;
      this.level = options.heading || 2;
      this.state = { hidden: null, place: null, service: null };
      this.charts = [];
      this.lazies = new Map(); // what is drawn when an element comes near the window
      this.styleCount = 0;
      this.keysID = R.id("keys");
      this.stop = new AbortController();
      this.observe();
      this.view = complete(view);
      this.settle();
      this.build();
      this.changed("view");
      if (options.links) this.follow();
    }

    // update takes another view of the same run; what people chose stays.
    update(view) {
      this.view = complete(view);
      this.settle();
      this.changed("view");
    }

    destroy() {
      this.stop.abort();
      this.seer.disconnect();
      this.sizer.disconnect();
      this.storm.replay.stop();
      for (const c of this.charts) c.destroy();
      this.root.replaceChildren();
    }

    // observe draws what comes into view, and again in another size or theme.
    observe() {
      this.seer = new IntersectionObserver((entries) => {
        for (const e of entries) {
          const part = this.lazies.get(e.target);
          part.near = e.isIntersecting;
          if (part.near) part.show();
        }
      }, { rootMargin: "300px" });
      this.sizer = new ResizeObserver(() => { if (!this.printing) for (const c of this.charts) c.resize(); });
      const on = (target, name, f) => target.addEventListener(name, f, { signal: this.stop.signal });
      const theme = () => { this.styleCount++; this.changed("theme"); };
      on(document, "retrystorm-theme", theme);
      on(matchMedia("(prefers-color-scheme: dark)"), "change", theme);
      on(window, "beforeprint", () => this.print(true));
      on(window, "afterprint", () => this.print(false));
      on(matchMedia("print"), "change", (e) => this.print(e.matches));
      if (this.options.links) on(window, "hashchange", () => this.follow());
    }

    // lazy draws a part only while it is near the window: it has near and show().
    lazy(element, part) {
      this.lazies.set(element, part);
      this.seer.observe(element);
    }

    // watch takes a chart in.
    watch(chart) {
      this.charts.push(chart);
      this.lazy(chart.element, chart);
      this.sizer.observe(chart.holder);
    }

    // settle keeps the choices that make sense in the view.
    settle() {
      const { view, state } = this;
      if (state.hidden === null && view.variants.length) state.hidden = new Set(firstHidden(view));
      if (state.place === null || state.place >= view.places.length) state.place = view.severest || 0;
    }

    build() {
      const { options } = this;
      this.chips = R.el("div", { class: "rs-chips", role: "group", "aria-label": "Variants in the charts" });
      this.verdict = new R.Verdict(this);
      this.summary = new R.Summary(this);
      this.metrics = new R.Metrics(this);
      this.storm = new R.Storm(this);
      this.completion = new R.Completion(this);
      this.paths = new R.Paths(this);
      this.attempts = new R.Attempts(this);
      this.rest = R.el("div", { class: "rs-rest" });
      this.parts = [this.verdict, this.summary, this.metrics, this.storm, this.completion, this.paths, this.attempts];
      this.root.classList.add("rs-view");
      this.root.classList.toggle("rs-compact", !!options.compact);
      this.root.replaceChildren(
        this.verdict.element, this.chips, ...this.parts.slice(1).map((p) => p.element), this.rest,
        R.el("p", { id: this.keysID, class: "rs-hidden" }, "Left and right move the cursor, with Shift by more; plus and minus zoom, Escape shows everything. The data is in the table below."));
    }

    // changed draws again what depends on why: view, variants, place, service, axis, theme.
    changed(why) {
      if (why === "view") this.drawChips();
      this.pressChips();
      if (why !== "theme") for (const p of this.parts) p.refresh(why); // the style sheet does the rest
      for (const c of this.charts) c.refresh(why);
      if (why === "view") this.drawRest();
    }

    visible(variant) { return !this.state.hidden || !this.state.hidden.has(this.view.variants[variant].name); }

    cell(variant, place, metric) {
      const p = this.view.points.find((x) => x.variant === variant && x.place === place);
      return p ? p.cells[metric] : null;
    }

    placeText(place = this.state.place) {
      const { axes, places } = this.view;
      return axes.map((a, i) => `${a.path} = ${places[place].values[i]}`).join(", ");
    }

    // placeChoice chooses the place of the sweep at which a part looks.
    placeChoice(has) {
      const { view, state } = this;
      if (view.places.length < 2) return [];
      const list = view.places.map((_, i) => [i, this.placeText(i) + (i === view.severest ? " (severest)" : "")]).filter(([i]) => !has || has(i));
      const here = list.some(([i]) => i === state.place) ? state.place : view.severest;
      return [R.choice("At", list, here, (v) => { state.place = Number(v); this.changed("place"); })];
    }

    drawChips() {
      const { variants } = this.view;
      this.chips.hidden = variants.length < 2;
      const focus = [...this.chips.children].indexOf(document.activeElement);
      this.counted = R.el("span", { class: "rs-note" });
      this.all = R.button("All", () => this.hide([]), { class: "rs-button rs-small" });
      this.none = R.button("None", () => this.hide(variants.map((v) => v.name)), { class: "rs-button rs-small" });
      this.chips.replaceChildren(...variants.map((v) => R.el("button", {
        type: "button", class: "rs-chip", data: { variant: v.name }, title: "With Shift: only this one", on: { click: (e) => this.press(v.name, e.shiftKey) },
      }, R.swatch(v), R.el("span", {}, v.name))), this.all, this.none, this.counted);
      if (focus >= 0) this.chips.children[focus]?.focus();
    }

    // press toggles a variant, or leaves only it.
    press(name, only) {
      const names = this.view.variants.map((v) => v.name), hidden = new Set(only ? names : this.state.hidden);
      if (!hidden.delete(name)) hidden.add(name);
      this.hide(hidden);
    }

    hide(names) {
      this.state.hidden = new Set(names);
      this.remember();
      this.changed("variants");
    }

    pressChips() {
      const { variants } = this.view, shown = variants.filter((_, i) => this.visible(i)).length;
      variants.forEach((_, i) => this.chips.children[i].setAttribute("aria-pressed", String(this.visible(i))));
      this.all.disabled = shown === variants.length;
      this.none.disabled = shown === 0;
      this.counted.textContent = shown < variants.length ? `${shown} of ${variants.length} in the charts` : "";
    }

    drawRest() {
      const { view } = this;
      const list = (title, items) => (items && items.length ? R.el("div", {}, R.el("h" + (this.level + 2), {}, title), R.el("ul", {}, items.map((n) => R.el("li", {}, n)))) : null);
      const sections = view.sections.map((s) => R.el("div", { class: "rs-section" }, R.el("h" + (this.level + 2), {}, s.title),
        (s.rows || []).length ? R.table(s.title, s.columns.map((c, i) => [c, (s.left || [])[i]]), s.rows) : null,
        (s.lines || []).map((l) => R.el("p", { class: "rs-note" }, l))));
      const scenario = R.el("details", { class: "rs-fold" }, R.el("summary", {}, "The scenario as it was run"), R.copier("the scenario", view.scenario));
      R.replace(this.rest, [
        sections.length ? R.card(this, "more", "More tables", R.el("div", { class: "rs-sections" }, sections)) : null,
        R.card(this, "how", "How this was made",
          view.command ? R.copier("the command", view.command) : null, view.scenario ? scenario : null,
          R.el("p", { class: "rs-note" }, `Seed ${view.seed}, ${R.counted(view.replications, "replication")} of each point. The same command gives the same numbers anywhere.`),
          list("Notes", view.notes), list("Left out here", view.dropped)),
      ]);
    }

    // follow does what the address asks for: a section, or only some variants.
    follow() {
      const hash = decodeURIComponent(location.hash.slice(1));
      if (hash.startsWith("variants=")) {
        const names = hash.slice("variants=".length).split("|");
        const hidden = this.view.variants.map((v) => v.name).filter((n) => !names.includes(n));
        if (hidden.length < this.view.variants.length) { this.state.hidden = new Set(hidden); this.changed("variants"); }
      } else if (hash) document.getElementById(hash)?.scrollIntoView();
    }

    // remember keeps the shown variants in the address, to be sent to somebody.
    remember() {
      if (!this.options.links) return;
      const names = this.view.variants.map((v) => v.name).filter((n) => !this.state.hidden.has(n));
      const hash = names.length === this.view.variants.length ? "#" : "#variants=" + names.map(encodeURIComponent).join("|");
      try { history.replaceState(null, "", hash); } catch { /* not from here */ }
    }

    // print draws everything, in light colours and in the width of paper.
    print(on) {
      if (!!this.printing === on) return;
      this.printing = on;
      if (on) {
        this.before = { theme: R.theme.get(), closed: [...this.root.querySelectorAll("details:not([open]):not(.rs-data)")] };
        R.theme.set("light");
        for (const d of this.before.closed) { if (d.fill) d.fill(); d.open = true; }
        for (const c of this.charts) c.show();
        this.paths.show();
      } else {
        for (const d of this.before.closed) d.open = false;
        R.theme.set(this.before.theme);
      }
      for (const c of this.charts) c.resize();
    }

    // chartWidth is forced on paper, where nothing can be measured beforehand.
    chartWidth(holder) { return this.printing ? printWidth : Math.max(220, holder.clientWidth || 600); }
  }

  // complete has no null where the page goes through a list.
  function complete(view) {
    const out = { ...view };
    for (const list of ["expectations", "notes", "dropped", "variants", "axes", "places", "metrics", "points", "timelines", "completion", "paths", "attempts", "sections"]) out[list] = view[list] || [];
    if (!out.places.length) out.places = [{ values: [], numbers: [] }];
    return out;
  }

  // firstHidden leaves what matters when there are too many variants for a chart.
  function firstHidden(view) {
    if (view.variants.length <= shownFirst) return [];
    const verdict = view.verdict || {};
    const order = [verdict.best, view.variants.findIndex((v) => v.reference), ...(verdict.tied || []), ...view.variants.keys()].filter((i) => i >= 0);
    const keep = new Set([...new Set(order)].slice(0, shownFirst));
    return view.variants.filter((_, i) => !keep.has(i)).map((v) => v.name);
  }
})(window.Retrystorm);
