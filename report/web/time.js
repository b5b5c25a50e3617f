// The storm over time: what arrives, what is served and what waits at a service,
// and a replay that moves through it.
(function (R) {
  "use strict";

  const bursty = 10; // peak over capacity or mean, from which a linear axis shows a spike and a line at zero

  const quantities = [
    { field: "arrivals", title: "Calls arriving at", unit: "/s", limit: "rate" },
    { field: "goodput", title: "Answered with success by", unit: "/s", limit: "rate" },
    { field: "waiting", title: "Waiting in the queue of", unit: "" },
    { field: "in_service", title: "In service at", unit: "", limit: "capacity" },
  ];

  R.Storm = class {
    constructor(app) {
      this.app = app;
      this.group = new R.Group();
      this.logs = {}; // of a quantity: chosen by people
      this.shared = true;
      this.service = R.el("span");
      this.replay = new R.Replay(app, this);
      this.flow = new R.Flow(app, this);
      this.logAll = R.check("log", false, (on) => { this.logs.panels = on; this.redrawPanels(); });
      this.panels = new Map(); // of a variant by name
      this.grid = R.el("div", { class: "rs-pair rs-panels" });
      this.charts = quantities.map((q) => this.chart(q));
      this.element = R.card(app, "storm", "The storm over time",
        R.el("div", { class: "rs-tools" }, this.service, this.logAll,
          R.check("same scale", true, (on) => { this.shared = on; this.redrawPanels(); }), this.group.zoomButton()),
        this.replay.element, this.flow.element, this.grid,
        this.together = R.el("h" + (app.level + 2), {}, "All variants together"),
        R.el("div", { class: "rs-pair" }, this.charts.map((c) => c.element)));
    }

    refresh(why) {
      const services = this.services(), { view, state } = this.app;
      this.element.hidden = services.length === 0;
      this.together.hidden = view.variants.length < 2;
      if (!services.includes(state.service)) state.service = services.includes(view.target) ? view.target : services[0];
      if (why !== "variants") {
        this.service.replaceChildren(
          ...(services.length > 1 ? [R.choice("Service", services.map((s) => [s, s]), state.service, (s) => { state.service = s; this.app.changed("service"); })] : []),
          ...this.app.placeChoice((p) => view.timelines.some((t) => t.place === p)));
        this.lines = this.timelines(state.service);
        this.xs = grid(this.lines);
        this.bursty = this.lines.some((t) => isBursty(t));
        this.logAll.set(this.logPanels());
        this.replay.refresh();
      }
      const shown = this.lines.filter((t) => this.app.visible(t.variant));
      this.most = Math.max(0, ...shown.map((t) => peak(t.arrivals)));
      const top = Math.max(0, ...shown.map((t) => Math.max(peak(t.arrivals), near(t.rate, this.most) ? peak(t.rate) : 0)));
      const before = this.top;
      this.top = top;
      if (top !== before && why === "variants" && this.shared) this.redrawPanels();
      this.makePanels();
      this.flow.refresh();
    }

    services() { return [...new Set(this.app.view.timelines.map((t) => t.service))]; }

    // timelines of a service at the place, or at the severest when it has none there.
    timelines(service) {
      const { view, state } = this.app;
      const place = view.timelines.some((t) => t.place === state.place) ? state.place : view.severest;
      return view.timelines.filter((t) => t.place === place && (service === undefined || t.service === service))
        .sort((a, b) => a.variant - b.variant);
    }

    end() { return Math.max(0, ...this.timelines().map((t) => t.step * t.arrivals.length)); }
    logPanels() { return this.logs.panels ?? this.bursty; }
    redrawPanels() { for (const p of this.panels.values()) p.refresh("scale"); }

    // makePanels has a chart for each variant that is shown, in their order.
    makePanels() {
      const { view } = this.app;
      for (const t of this.lines) {
        const name = view.variants[t.variant].name;
        if (!this.panels.has(name) && this.app.visible(t.variant)) this.panels.set(name, this.panel(name));
      }
      const here = new Map(this.lines.map((t) => [view.variants[t.variant].name, t]));
      for (const [name, p] of this.panels) p.element.hidden = !here.has(name) || !this.app.visible(here.get(name).variant);
      const order = this.lines.map((t) => this.panels.get(view.variants[t.variant].name)).filter(Boolean).map((p) => p.element);
      if (order.some((e, i) => this.grid.children[i] !== e)) this.grid.append(...order);
    }

    // panel is the storm of one variant: what arrives, how much of it again, what is
    // answered, and the capacity.
    panel(name) {
      const timeline = () => this.lines.find((t) => this.app.view.variants[t.variant].name === name);
      const line = (t, field, more) => ({ ys: onto(this.xs, t, t[field]), ...more });
      return new R.Chart(this.app, {
        title: name, group: this.group, stepped: true, height: 170, file: "timeline.csv",
        data: () => {
          const t = timeline();
          if (!t) return { xs: [0], lines: [] };
          const lines = [
            line(t, "arrivals", { variant: t.variant, label: "arrivals", fill: 0.22, width: 1.5 }),
            line(t, "retries", { variant: t.variant, label: "retries", fill: 0.35, width: 0, bare: true }),
            line(t, "goodput", { variant: null, label: "success", color: "good", width: 2 }),
          ];
          if (near(t.rate, this.most)) lines.push(line(t, "rate", { variant: null, label: "capacity", color: "fg", dash: [4, 4], width: 1.2 }));
          return { xs: this.xs, lines, spans: spansOf(this.lines) };
        },
        x: { ...R.timeAxis, name: R.seconds },
        y: { log: () => this.logPanels(), range: (lo, hi) => this.range(lo, hi) },
        read: (l, i) => R.withUnit(R.fmt(l.ys[i]), "/s"), rest: (l) => (l.label === "capacity" ? "" : "peak ") + R.withUnit(R.fmt(peak(l.ys)), "/s") + (l.label === "arrivals" ? this.over(timeline()) : ""),
        where: (x) => "at " + R.seconds(x),
        moved: (x) => this.replay.moved(x),
        describe: () => describe(this.app, [timeline()].filter(Boolean), quantities[0]),
      });
    }

    // range is the same for all panels, unless somebody wants to see the small ones.
    range(lo, hi) {
      if (this.shared) hi = this.top;
      return this.logPanels() ? R.logRange(1, Math.max(10, hi)) : [0, hi * 1.06 || 1];
    }

    // over says that a peak is that of longer means than those of another variant.
    over(t) {
      return t && this.lines.some((x) => x.step < t.step) ? ` in ${R.seconds(t.step)}` : "";
    }

    logOf(q) { return this.logs[q.field] ?? (this.bursty && q.field === "arrivals"); }

    // chart is a quantity of all variants.
    chart(q) {
      const toggle = R.check("log", false, (on) => { this.logs[q.field] = on; chart.refresh("scale"); });
      const chart = new R.Chart(this.app, {
        title: () => q.title + " " + this.app.state.service, group: this.group, stepped: true, height: 200, tools: [toggle], file: "timeline.csv",
        data: () => { toggle.set(this.logOf(q)); return this.data(q); },
        x: { label: "time", ...R.timeAxis, name: R.seconds },
        y: { log: () => this.logOf(q) },
        read: (line, i) => R.withUnit(R.fmt(line.ys[i]), q.unit),
        rest: (line) => (line.variant === null ? "" : "peak ") + R.withUnit(R.fmt(peak(line.ys)), q.unit) + this.over(this.lines.find((t) => t.variant === line.variant)),
        where: (x) => "at " + R.seconds(x),
        moved: (x) => this.replay.moved(x),
        describe: () => describe(this.app, this.lines.filter((t) => this.app.visible(t.variant)), q),
      });
      return chart;
    }

    data(q) {
      const { variants } = this.app.view, lines = this.lines.filter((t) => (t[q.field] || []).length);
      const out = lines.map((t) => ({ variant: t.variant, label: variants[t.variant].name, dash: variants[t.variant].dashes, ys: onto(this.xs, t, t[q.field]) }));
      const nothing = out.every((l) => !peak(l.ys));
      const most = Math.max(0, ...out.map((l) => peak(l.ys)));
      return { xs: this.xs, lines: nothing ? [] : out.concat(this.limits(lines.filter((t) => near(t[q.limit], most)), q.limit)), spans: spansOf(lines) };
    }

    // limits is the capacity: one line when it is the same for all variants.
    limits(lines, field) {
      const known = lines.filter((t) => field && (t[field] || []).length);
      if (!known.length) return [];
      const longest = known.reduce((a, b) => (b[field].length > a[field].length ? b : a));
      const ys = onto(this.xs, longest, longest[field]);
      if (known.every((t) => alike(onto(this.xs, t, t[field]), ys))) return [{ variant: null, label: "capacity", ys, dash: [4, 4], width: 1.2, color: "fg" }];
      return known.map((t) => ({ variant: t.variant, label: "", ys: onto(this.xs, t, t[field]), dash: [2, 4], width: 1 }));
    }
  };

  function describe(app, timelines, q) {
    return timelines.map((t) => `${app.view.variants[t.variant].name}: at most ${R.withUnit(R.fmt(peak(t[q.field] || [])), q.unit)}, at ${R.seconds(whenPeak(t, q.field))}`).join("; ")
      + spansOf(timelines).map((s) => `; ${s.name} ${s.from === s.to ? "at " : `from ${R.seconds(s.from)} to `}${R.seconds(s.to)}`).join("");
  }

  // spansOf is what happens to any of them: a run that is done sees less of a fault.
  function spansOf(timelines) {
    const out = new Map();
    for (const s of timelines.flatMap((t) => t.spans || [])) {
      const key = s.name + "\n" + s.from, before = out.get(key);
      if (!before || s.to > before.to) out.set(key, s);
    }
    return [...out.values()];
  }

  // grid is the times of all timelines: one when their steps are the same.
  function grid(lines) {
    if (!lines.length) return [0, 1];
    const step = Math.min(...lines.map((t) => t.step));
    const n = Math.ceil(Math.max(...lines.map((t) => t.step * t.arrivals.length)) / step - 1e-6);
    return Array.from({ length: n + 1 }, (_, k) => Number((k * step).toPrecision(12)));
  }

  // onto puts a row on the grid. What is beyond the end of a run is nothing; the last
  // value is held for its step, so that its line is as long as the others.
  function onto(xs, t, row) {
    const values = (row || []).map(R.number);
    return xs.map((x) => {
      const k = Math.floor(x / t.step + 1e-6);
      return k < values.length ? values[k] : k === values.length ? values[k - 1] : null;
    });
  }

  // alike allows for steps of different lengths, and for the last one, which is cut.
  function alike(a, b) {
    const near = peak(b) / 50, both = a.map((y, k) => [y, b[k]]).filter(([y, z]) => y !== null && z !== null);
    return both.filter(([y, z]) => Math.abs(y - z) > near).length <= both.length / 20;
  }

  function peak(ys) {
    let top = null;
    for (const y of ys) if (y !== null && (top === null || y > top)) top = y;
    return top;
  }

  // near reports whether a limit belongs into a picture that ends at most: one far
  // above would only press the rest down.
  function near(limit, most) { return (limit || []).some((y) => y !== null && y < 4 * most); }

  function whenPeak(t, field) { return t.step * t[field].indexOf(peak(t[field])); }

  function isBursty(t) {
    const known = t.arrivals.filter((y) => y !== null), mean = known.reduce((a, b) => a + b, 0) / known.length;
    return peak(t.arrivals) > bursty * (peak(t.rate || []) || mean);
  }

  // Replay is a slider through the run, which also plays by itself.
  R.Replay = class {
    constructor(app, storm) {
      this.app = app;
      this.storm = storm;
      this.t = 0;
      this.speed = 0; // seconds of the run in a second; 0: all of it in 20
      this.play = R.button("Play", () => (this.frame ? this.stop() : this.start()), { class: "rs-button rs-play" });
      this.slider = R.el("input", { type: "range", min: 0, "aria-label": "Time of the replay", on: { input: () => { this.stop(); this.go(Number(this.slider.value)); } } });
      this.now = R.el("output", { class: "rs-now" });
      this.speeds = R.choice("Speed", [[0, "whole run in 20 s"], [1, "1×"], [5, "5×"], [20, "20×"]], 0, (v) => { this.speed = Number(v); });
      this.element = R.el("div", { class: "rs-replay", role: "group", "aria-label": "Replay" }, this.play, this.slider, this.now, this.speeds);
    }

    refresh() {
      const end = this.storm.end();
      this.slider.max = end;
      this.slider.step = end / 1000 || 1;
      this.element.hidden = end === 0;
      this.show();
    }

    // show says the time.
    show() {
      this.now.textContent = R.seconds(this.t);
      this.slider.value = this.t;
      this.slider.setAttribute("aria-valuetext", R.seconds(this.t));
    }

    // go moves the cursor of the charts and the picture to a time.
    go(t) {
      this.t = t;
      this.show();
      this.storm.group.setCursor(t);
      this.storm.flow.at(t);
    }

    // moved follows the cursor of a chart.
    moved(t) {
      if (this.frame) return;
      this.t = t;
      this.show();
      this.storm.flow.at(t);
    }

    start() {
      const end = this.storm.end();
      if (this.t >= end * 0.999) this.t = 0;
      let last = null;
      const step = (ms) => {
        if (last === null) last = ms;
        // Who wants less motion gets two pictures a second.
        if (ms - last >= (R.calm() ? 500 : 0)) {
          this.go(Math.min(end, this.t + ((ms - last) / 1000) * (this.speed || end / 20)));
          last = ms;
        }
        if (this.t >= end) return this.stop();
        this.frame = requestAnimationFrame(step);
      };
      this.play.textContent = "Pause";
      this.frame = requestAnimationFrame(step);
    }

    stop() {
      if (this.frame) cancelAnimationFrame(this.frame);
      this.frame = 0;
      this.play.textContent = "Play";
    }
  };

  R.peak = peak;
})(window.Retrystorm);
