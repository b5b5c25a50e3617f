// What every part of the page needs: elements, numbers as people read them, and
// the colours of the theme.
window.Retrystorm = window.Retrystorm || {};
(function (R) {
  "use strict";

  // el makes an element. Text is always set as text: names come from scenarios.
  // Properties: class, on (listeners), style (an object), data, and attributes.
  R.el = function (tag, props, ...children) {
    return fill(document.createElement(tag), props, children);
  };

  // svg makes an element of a drawing.
  R.svg = function (tag, props, ...children) {
    return fill(document.createElementNS("http://www.w3.org/2000/svg", tag), props, children);
  };

  function fill(node, props, children) {
    for (const [key, value] of Object.entries(props || {})) {
      if (value === undefined || value === null || value === false) continue;
      if (key === "on") for (const [name, f] of Object.entries(value)) node.addEventListener(name, f);
      // Property by property, since a style attribute is what the policy forbids.
      else if (key === "style") for (const [name, v] of Object.entries(value)) node.style.setProperty(name, v);
      else if (key === "data") Object.assign(node.dataset, value);
      else node.setAttribute(key, value === true ? "" : value);
    }
    for (const c of children.flat()) if (c !== null && c !== undefined && c !== false) node.append(c);
    return node;
  }

  // number reads one of the view: infinity is a string there.
  R.number = (x) => (x === "+Inf" ? Infinity : x === null || x === undefined ? null : x);

  // fmt is a number as it is read in a legend: as many digits as eyes can use.
  R.fmt = function (x) {
    if (x === null || x === undefined || Number.isNaN(x)) return "–";
    if (x === Infinity) return "never";
    const a = Math.abs(x);
    if (a >= 1000 || a === 0) return group(x.toFixed(0));
    if (Number.isInteger(x)) return String(x);
    return a >= 100 ? x.toFixed(0) : a >= 10 ? x.toFixed(1) : a >= 0.1 ? x.toFixed(2) : short(x);
  };

  // tick is a number at an axis.
  R.tick = function (x) {
    const a = Math.abs(x);
    if (a >= 1e9) return short(x / 1e9) + " G";
    if (a >= 1e6) return short(x / 1e6) + " M";
    if (a >= 1e4) return short(x / 1e3) + " k";
    return a >= 1000 ? group(String(Math.round(x))) : short(x);
  };

  // share is a part of one, in percent.
  R.share = (x) => (x === null ? "–" : short(x * 100) + " %");

  function group(digits) { return digits.replace(/\B(?=(\d{3})+$)/g, ","); }

  function short(x) { return String(Number(x.toPrecision(3))); }

  // withUnit adds a unit the way the tables do.
  R.withUnit = (text, unit) => (!unit || text === "never" || text === "–" ? text : unit === "x" || unit[0] === "/" ? text + unit : text + " " + unit);

  // tight keeps a number and its unit or interval on one line.
  R.tight = (text) => text.replace(/ (?=%)/g, "\u00a0").replace(/ ± /g, "\u00a0±\u00a0");

  // counted is a number of things.
  R.counted = (n, what) => `${n} ${what}${n === 1 ? "" : "s"}`;

  // A time of hours or days is read as such.
  const hour = 3600, day = 24 * hour;
  const clock = (span) => (span > 2 * day ? [day, "d"] : span > 2 * hour ? [hour, "h"] : [1, "s"]);

  // seconds is a time as it is read in a legend.
  R.seconds = function (x) {
    const [unit, name] = clock(x === Infinity ? 0 : x);
    return R.withUnit(R.fmt(x === null || x === undefined ? x : x / unit), name);
  };

  const decimal = [-6, -5, -4, -3, -2, -1, 0, 1, 2, 3].flatMap((e) => [1, 2, 2.5, 5].map((m) => Number((m * 10 ** e).toPrecision(3))));
  const calendar = [...[0.25, 0.5, 1, 2, 3, 6, 12].map((h) => h * hour), ...[1, 2, 5, 10, 20, 50, 100, 200, 500].map((d) => d * day)];

  // An axis of time: round steps, and the unit at each number.
  R.timeAxis = {
    incrs: (u, axis, min, max) => (clock(max - min)[0] > 1 ? calendar : decimal),
    values(u, splits) {
      const { min, max, distr } = u.scales.x, [unit, name] = clock(distr === 3 ? 0 : max - min);
      return splits.map((x) => (x === null ? "" : x === 0 ? "0" : R.tick(x / unit) + " " + name));
    },
  };

  // id is unique in the document, where two views may stand side by side.
  let ids = 0;
  R.id = (name) => "rs-" + name + "-" + ++ids;

  R.button = (text, f, props) => R.el("button", { type: "button", class: "rs-button", on: { click: f }, ...props }, text);

  // check is a checkbox with its label.
  R.check = function (text, on, f) {
    const box = R.el("input", { type: "checkbox", on: { change: () => f(box.checked) } });
    box.checked = on;
    const label = R.el("label", { class: "rs-check" }, box, text);
    label.set = (v) => { box.checked = v; };
    return label;
  };

  // choice is a select with its label; options are [value, text].
  R.choice = function (text, options, value, f) {
    const select = R.el("select", { on: { change: () => f(select.value) } },
      options.map(([v, t]) => R.el("option", { value: v }, t)));
    select.value = value;
    const label = R.el("label", { class: "rs-choice" }, R.el("span", {}, text), select);
    label.set = (v) => { select.value = v; };
    return label;
  };

  // card is a section of the page with a heading that can be linked to.
  R.card = function (app, name, title, ...children) {
    const id = app.options.links ? name : R.id(name);
    const heading = R.el("h" + (app.level + 1), { id: id + "-title" }, title);
    if (app.options.links) {
      heading.append(R.el("a", { href: "#" + name, class: "rs-anchor", "aria-label": "Link to " + title }, "#"));
    }
    return R.el("section", { class: "rs-card rs-" + name, id, "aria-labelledby": id + "-title" }, heading, children);
  };

  // fold is a part that is opened by those who want it; what is in it is made then.
  R.fold = function (title, make, kind) {
    const fold = R.el("details", { class: "rs-fold " + (kind || "") }, R.el("summary", {}, title));
    fold.fill = () => {
      while (fold.children.length > 1) fold.lastChild.remove();
      fold.append(make());
    };
    fold.addEventListener("toggle", () => { if (fold.open) fold.fill(); });
    return fold;
  };

  // replace fills an element anew; what was opened or closed in it stays so.
  R.replace = function (element, children) {
    const folds = () => [...element.querySelectorAll("details")], name = (d) => d.firstChild.textContent;
    const before = new Map(folds().map((d) => [name(d), d.open]));
    element.replaceChildren(...children.filter(Boolean));
    for (const d of folds()) if (before.has(name(d))) d.open = before.get(name(d));
  };

  // table is a small one: columns are [title, left?], rows are lists of texts.
  R.table = function (caption, columns, rows) {
    return R.scroller(caption, R.el("table", { class: "rs-table" },
      R.el("caption", { class: "rs-hidden" }, caption),
      R.el("thead", {}, R.el("tr", {}, columns.map(([t, left]) => R.el("th", { scope: "col", class: left && "rs-left" }, t)))),
      R.el("tbody", {}, rows.map((row) => R.el("tr", {}, row.map((c, i) => R.el("td", { class: columns[i][1] && "rs-left" }, c)))))));
  };

  // scroller lets a wide table scroll in itself, also by keyboard.
  R.scroller = (name, child) => R.el("div", { class: "rs-scroll", tabindex: "0", role: "region", "aria-label": name }, child);

  // copier is a text with a button that copies it.
  R.copier = function (label, text) {
    const button = R.button("Copy", () => copy(text, pre).then(() => say("Copied"), () => say("Press Ctrl+C")), { "aria-label": "Copy " + label });
    const say = (t) => { button.textContent = t; setTimeout(() => { button.textContent = "Copy"; }, 2000); };
    const pre = R.el("pre", { tabindex: "0", role: "region", "aria-label": label }, text);
    return R.el("div", { class: "rs-copier" }, button, pre);
  };

  // copy falls back on the selection: a page from disk may not use the clipboard.
  async function copy(text, node) {
    try {
      await navigator.clipboard.writeText(text);
    } catch {
      const range = document.createRange();
      range.selectNodeContents(node);
      getSelection().removeAllRanges();
      getSelection().addRange(range);
      if (!document.execCommand("copy")) throw new Error("not copied");
    }
  }

  // store remembers a choice where that is allowed, and forgets it elsewhere.
  R.store = {
    get(key) { try { return localStorage.getItem("retrystorm." + key); } catch { return null; } },
    set(key, value) { try { localStorage.setItem("retrystorm." + key, value); } catch { /* not remembered */ } },
  };

  // theme is auto, light or dark, of the whole document.
  R.theme = {
    get() { return document.documentElement.dataset.theme || "auto"; },
    set(value) {
      if (value === "auto") delete document.documentElement.dataset.theme;
      else document.documentElement.dataset.theme = value;
      document.dispatchEvent(new Event("retrystorm-theme"));
    },
    remember() { R.theme.set(R.store.get("theme") || "auto"); },
    next() {
      const order = ["auto", "light", "dark"];
      const value = order[(order.indexOf(R.theme.get()) + 1) % order.length];
      R.store.set("theme", value);
      R.theme.set(value);
    },
    dark() {
      const t = R.theme.get();
      return t === "dark" || (t === "auto" && matchMedia("(prefers-color-scheme: dark)").matches);
    },
  };

  // themeButton goes round the three.
  R.themeButton = function () {
    const button = R.button("", R.theme.next, { class: "rs-button rs-theme" });
    const show = () => { button.textContent = "Theme: " + R.theme.get(); };
    document.addEventListener("retrystorm-theme", show);
    show();
    return button;
  };

  // color reads a custom property of the page, for canvases.
  R.color = (name) => getComputedStyle(document.documentElement).getPropertyValue("--rs-" + name).trim() || "#888";

  R.calm = () => matchMedia("(prefers-reduced-motion: reduce)").matches;
})(window.Retrystorm);
