// The summary: a row for each variant, sorted by what one clicks on.
(function (R) {
  "use strict";

  R.Summary = class {
    constructor(app) {
      this.app = app;
      this.sort = null; // {metric: name, up}; null: the order of the scenario
      this.all = false;
      this.place = R.el("span");
      this.more = R.check("all metrics", false, (on) => { this.all = on; this.refresh(); });
      this.body = R.el("div");
      this.element = R.card(app, "summary", "Summary", R.el("div", { class: "rs-tools" }, this.place, this.more), this.body);
    }

    refresh(why) {
      const { view } = this.app;
      if (why === "variants") return this.fade();
      this.place.replaceChildren(...this.app.placeChoice());
      const columns = view.metrics.map((m, i) => ({ m, i })).filter(({ m }) => this.all || m.key);
      this.more.hidden = view.metrics.every((m) => m.key);
      const focus = this.element.contains(document.activeElement) && document.activeElement.dataset.metric;
      const caption = "Summary" + (this.app.placeText() ? " at " + this.app.placeText() : "");
      this.body.replaceChildren(
        R.scroller(caption, R.el("table", { class: "rs-table rs-summary-table" },
          R.el("caption", { class: "rs-hidden" }, caption),
          R.el("thead", {}, R.el("tr", {}, this.head("", "variant", null, true), columns.map(({ m }) => this.head(m.name, m.title || m.name, m)))),
          R.el("tbody", {}, this.rows(columns)))),
        this.key());
      if (focus !== false && focus !== undefined) this.body.querySelector(`[data-metric="${CSS.escape(focus)}"]`)?.focus();
      this.fade();
    }

    head(name, title, metric, left) {
      const sorted = this.sort && this.sort.metric === name ? (this.sort.up ? "ascending" : "descending") : null;
      const sign = sorted === "ascending" ? " ▲" : sorted ? " ▼" : "";
      return R.el("th", { scope: "col", "aria-sort": sorted || "none", class: left && "rs-left", title: metric && metric.help },
        R.el("button", { type: "button", class: "rs-sort", data: { metric: name }, on: { click: () => this.by(name) } },
          title, R.el("span", { "aria-hidden": "true" }, sign)));
    }

    // by sorts upwards, downwards and then not at all.
    by(name) {
      if (!this.sort || this.sort.metric !== name) this.sort = { metric: name, up: true };
      else this.sort = this.sort.up ? { metric: name, up: false } : null;
      this.refresh();
    }

    rows(columns) {
      const { view } = this.app, place = this.app.state.place;
      const points = view.points.filter((p) => p.place === place);
      if (this.sort) points.sort((a, b) => this.compare(a, b));
      const verdict = view.verdict || {}, tied = !view.partial && verdict.best >= 0 ? verdict.tied || [] : [];
      return points.map((p) => {
        const v = view.variants[p.variant], best = !view.partial && verdict.best === p.variant;
        return R.el("tr", { data: { variant: p.variant }, class: best && "rs-best" },
          R.el("th", { scope: "row", class: "rs-left" }, R.el("span", { class: "rs-variant" }, R.swatch(v), R.el("span", {}, v.name)),
            best ? R.el("span", { class: "rs-tag" }, "use this") : null,
            tied.includes(p.variant) ? R.el("span", { class: "rs-tag" }, "as good") : null,
            v.reference ? R.el("span", { class: "rs-tag rs-quiet" }, "reference") : null,
            p.partial ? R.el("span", { class: "rs-tag rs-quiet" }, p.replications + " so far") : null,
            (p.endings || []).map((e) => R.el("span", { class: "rs-ending", title: e }, e.split(":")[0]))),
          columns.map(({ m, i }) => this.cell(m, p.cells[i])));
      });
    }

    cell(metric, c) {
      if (!c) return R.el("td", {}, "–");
      // A point that ends in two ways has a value for each, on lines of their own.
      const values = c.text === "" ? ["–"] : c.text.split(/(?<=\)), /);
      return R.el("td", {}, values.map((v) => R.el("span", { class: "rs-number" }, v)), this.against(metric, c));
    }

    // against says how a cell compares with the reference: in words, not by colour.
    against(metric, c) {
      if (c.against === null || c.against === undefined) return null;
      if (c.against === 0) return R.el("span", { class: "rs-against", title: "no certain difference from the reference" }, "~", R.el("span", { class: "rs-hidden" }, " no certain difference"));
      const good = metric.better * c.against;
      const judged = good > 0 ? "better" : good < 0 ? "worse" : "";
      // The arrow says more or less, and the interval of the ratio is in the tip.
      const more = c.against > 0 ? "more" : "less", ratio = (c.ratio || "").replace(/ \[.*|^(more|less) in /, "");
      return R.el("span", { title: c.ratio || null, class: "rs-against" + (good > 0 ? " rs-good" : good < 0 ? " rs-bad" : "") },
        R.el("span", { "aria-hidden": "true" }, c.against > 0 ? "↑ " : "↓ "), R.el("span", { class: "rs-hidden" }, more + " "), ratio + " ", judged);
    }

    compare(a, b) {
      const { view } = this.app, sign = this.sort.up ? 1 : -1;
      if (this.sort.metric === "") return sign * view.variants[a.variant].name.localeCompare(view.variants[b.variant].name, "en");
      const i = view.metrics.findIndex((m) => m.name === this.sort.metric);
      const x = R.number(a.cells[i].c), y = R.number(b.cells[i].c);
      if (x === null || y === null) return (x === null) - (y === null); // what is not available comes last
      return x === y ? a.variant - b.variant : sign * (x < y ? -1 : 1);
    }

    key() {
      const reference = this.app.view.variants.find((v) => v.reference);
      const place = this.app.placeText();
      return R.el("p", { class: "rs-note" }, place ? `At ${place}. ` : "", "Values with 95 % intervals. ",
        reference ? `↑ ↓ certainly more or less than ${reference.name}, ~ no certain difference from it.` : "",
        " never: not within the run.");
    }

    // fade keeps all rows, and shows which variants the charts leave out.
    fade() {
      for (const row of this.body.querySelectorAll("tr[data-variant]")) {
        row.classList.toggle("rs-off", !this.app.visible(Number(row.dataset.variant)));
      }
    }
  };
})(window.Retrystorm);
