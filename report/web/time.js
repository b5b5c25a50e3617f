// The storm over time: what arrives, what is served and what waits at a service,
// and a replay that moves through it.
(function (R) {
  "use strict";

  const bursty = 50; // peak over mean, from which a linear axis shows a spike and a line at zero

  const quantities = [
    { field: "arrivals", title: "Calls arriving at", unit: "/s", rate: true },
    { field: "retries", title: "Retries arriving at", unit: "/s", rate: true },
    { field: "goodput", title: "Answered with success by", unit: "/s", rate: true },
    { field: "waiting", title: "Waiting in the queue of", unit: "" },
    { field: "in_service", title: "In service at", unit: "", capacity: true },
  ];

  R.Storm = class {
    constructor(app) {
      this.app = app;
      this.group = new R.Group();
      this.log = {};
      this.service = R.el("span");
      this.replay = new R.Replay(app, this);
      this.charts = quantities.map((q) => this.chart(q));
      this.flow = new R.Flow(app, this);
      this.element = R.card(app, "storm", "The storm over time",
        R.el("div", { class: "rs-tools" }, this.service, this.group.zoomButton()),
        this.replay.element,
        R.el("div", { class: "rs-columns rs-storm-columns" },
          R.el("div", { class: "rs-stack" }, this.charts.slice(0, 1).map((c) => c.element), this.pair(this.charts.slice(1))),
          this.flow.element));
      this.group.listeners.push(() => this.replay.show());
    }

    pair(charts) { return R.el("div", { class: "rs-pair" }, charts.map((c) => c.element)); }

    refresh(why) {
      if (why === "variants") return this.flow.refresh(why);
      const services = this.services();
      this.element.hidden = services.length === 0;
      if (!services.includes(this.app.state.service)) {
        this.app.state.service = services.includes(this.app.view.target) ? this.app.view.target : services[0];
      }
      this.service.replaceChildren(
        ...(services.length > 1 ? [R.choice("Service", services.map((s) => [s, s]), this.app.state.service, (s) => { this.app.state.service = s; this.app.changed("service"); })] : []),
        ...this.app.placeChoice((p) => this.app.view.timelines.some((t) => t.place === p)));
      this.flow.refresh(why);
      this.replay.refresh();
    }

    services() { return [...new Set(this.app.view.timelines.map((t) => t.service))]; }

    // timelines of a service at the place, or at the severest when it has none there.
    timelines(service) {
      const { view } = this.app, place = this.place();
      return view.timelines.filter((t) => t.place === place && (service === undefined || t.service === service))
        .sort((a, b) => a.variant - b.variant);
    }

    place() {
      const { view, state } = this.app;
      return view.timelines.some((t) => t.place === state.place) ? state.place : view.severest;
    }

    end() { return Math.max(0, ...this.timelines().map((t) => t.step * t.arrivals.length)); }

    chart(q) {
      const read = (line, i) => R.withUnit(R.fmt(line.ys[i]), q.unit);
      const toggle = R.check("log", false, (on) => { this.log[q.field] = on; chart.refresh("log"); });
      const chart = new R.Chart(this.app, {
        title: () => q.title + " " + this.app.state.service, group: this.group, stepped: true, height: q.field === "arrivals" ? 260 : 190,
        tools: [toggle], file: "timeline.csv",
        data: () => {
          const data = this.data(q);
          if (this.log[q.field] === undefined) this.log[q.field] = false;
          toggle.hidden = !data.bursty;
          return data;
        },
        x: { label: "time (s)", name: (x) => R.fmt(x) + " s" },
        y: { log: () => !!this.log[q.field] },
        read, rest: (line) => (line.variant === null ? R.withUnit(R.fmt(peak(line.ys)), q.unit) : "peak " + R.withUnit(R.fmt(peak(line.ys)), q.unit)),
        where: (x) => "at " + R.fmt(x) + " s", whereRest: "",
        moved: (x) => this.replay.moved(x),
        describe: () => this.describe(q),
      });
      return chart;
    }

    describe(q) {
      const lines = this.timelines(this.app.state.service).filter((t) => this.app.visible(t.variant));
      const spans = lines.length ? lines[0].spans || [] : [];
      return lines.map((t) => `${this.app.view.variants[t.variant].name}: at most ${R.withUnit(R.fmt(peak(t[q.field] || [])), q.unit)}, ${R.fmt(whenPeak(t, q.field))} s after the start`).join("; ")
        + spans.map((s) => `; ${s.name} ${s.from === s.to ? "at " + R.fmt(s.from) : "from " + R.fmt(s.from) + " to " + R.fmt(s.to)} s`).join("");
    }

    data(q) {
      const lines = this.timelines(this.app.state.service).filter((t) => (t[q.field] || []).length);
      const xs = grid(lines);
      const out = lines.map((t) => ({
        variant: t.variant, label: this.app.view.variants[t.variant].name, dash: this.app.view.variants[t.variant].dashes,
        ys: onto(xs, t, t[q.field]),
      }));
      const limits = q.rate ? this.limits(lines, xs, "rate") : q.capacity ? this.limits(lines, xs, "capacity") : [];
      const flat = out.every((l) => !peak(l.ys));
      const spans = lines.length ? lines[0].spans || [] : [];
      return { xs, lines: flat && q.field !== "arrivals" ? [] : out.concat(limits), spans, bursty: out.some((l) => isBursty(l.ys)) };
    }

    // limits is the capacity: one line when it is the same for all variants.
    limits(lines, xs, field) {
      const known = lines.filter((t) => (t[field] || []).length);
      if (!known.length) return [];
      const name = "capacity", dash = [4, 4];
      const first = JSON.stringify(known[0][field]);
      if (known.every((t) => JSON.stringify(t[field]) === first)) return [{ variant: null, label: name, ys: onto(xs, known[0], known[0][field]), dash, width: 1.5, color: "fg" }];
      return known.map((t) => ({ variant: t.variant, label: "", ys: onto(xs, t, t[field]), dash: [2, 4], width: 1 }));
    }
  };

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

  function peak(ys) {
    let top = null;
    for (const y of ys) if (y !== null && (top === null || y > top)) top = y;
    return top;
  }

  function whenPeak(t, field) { return t.step * t[field].indexOf(peak(t[field])); }

  function isBursty(ys) {
    let sum = 0, n = 0;
    for (const y of ys) if (y !== null) { sum += y; n++; }
    return n > 0 && peak(ys) > bursty * (sum / n) || peak(ys) > 1e4;
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
      this.now.textContent = R.fmt(this.t) + " s";
      this.slider.value = this.t;
      this.slider.setAttribute("aria-valuetext", R.fmt(this.t) + " seconds");
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
        if (last !== null) this.go(Math.min(end, this.t + ((ms - last) / 1000) * (this.speed || end / 20)));
        last = ms;
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
