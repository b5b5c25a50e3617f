"use strict";

// A pane shows one run: what was run, its view, and its files.
(() => {
  const { app, el } = Retrystorm;

  // The files that most people want come first.
  const first = ["report.html", "summary.csv"];
  const rank = (name) => {
    const at = first.indexOf(name);
    return at >= 0 ? at : name.endsWith(".png") ? first.length : first.length + 1;
  };

  const kinds = { html: "page", csv: "table", png: "picture", parquet: "table", md: "text", json: "data", jsonl: "data", yaml: "scenario" };

  function downloads(run, say) {
    const names = [...run.files].sort((a, b) => rank(a) - rank(b));
    return el("details", { class: "downloads" },
      el("summary", {}, "Download"),
      el("ul", {}, ...names.map((name) => el("li", {}, el("button", {
        type: "button", "data-file": name,
        on: { click: async () => {
          try {
            app.save(await run.handle.file(name), name);
          } catch (error) {
            say(`${name} cannot be had: ${error.message}`);
          }
        } },
      }, name, el("span", {}, kinds[name.split(".").pop()] ?? "file"))))));
  }

  // pane gives {show(run), clear()} for an element; buttons(run) are its own.
  app.pane = (host, { title, say, buttons }) => {
    const head = el("div", { class: "pane-head" });
    const body = el("div", { class: "pane-view" });
    let drawn = null; // {run, view, compact}
    let handle = null;

    const sameShape = (a, b) => a.name === b.name &&
      JSON.stringify([a.variants.map((v) => v.name), a.axes]) === JSON.stringify([b.variants.map((v) => v.name), b.axes]);

    function draw(view, compact, live) {
      if (handle && drawn.compact === compact && sameShape(drawn.view, view)) {
        handle.update(view);
      } else {
        handle?.destroy();
        body.replaceChildren();
        handle = Retrystorm.render(body, view, { live, compact });
      }
      drawn = { view, compact };
    }

    return {
      show: (run, { compact = false } = {}) => {
        if (!host.contains(head)) {
          host.replaceChildren(head, body);
        }
        const sets = run.sets.map((set) => el("code", {}, set));
        head.replaceChildren(
          title(run) ? el("h2", {}, title(run)) : "",
          sets.length ? el("p", { class: "chips" }, ...sets) : "",
          el("div", { class: "buttons" }, ...buttons(run), run.files.length ? downloads(run, say) : ""));
        if (run.view && drawn?.view !== run.view || drawn?.compact !== compact && run.view) {
          draw(run.view, compact, run.state === "running");
        }
        host.classList.toggle("waiting", !run.view);
      },
      clear: () => {
        handle?.destroy();
        handle = drawn = null;
        host.replaceChildren();
      },
    };
  };
})();
