"use strict";

// The form of the settings that matter: sliders over the steps of each, and choices.
(() => {
  const { app, el } = Retrystorm;

  // knobs fills a form and gives {show(knobs, base, sets), disable(yes)}. base has the
  // settings as the text has them, sets what is changed; onSet(path, value) is called
  // for each change, with value null to take it back.
  app.knobs = (form, { onSet }) => {
    let rows = new Map(); // by path
    let shape = "";

    // stepsOf are the places of a slider: those around the value of the text, so that
    // it is always among them, unless the value now is not.
    function stepsOf(knob, base) {
      return base?.steps.includes(knob.value) ? base.steps : knob.steps;
    }

    function row(knob) {
      const r = { path: knob.path, steps: [] };
      const id = "knob-" + knob.path;
      r.value = el("output", { for: id });
      r.reset = el("button", {
        type: "button", class: "reset", "aria-label": `${knob.label}: as in the text`, title: "as in the text",
        on: { click: () => {
          onSet(knob.path, null);
          r.input.focus();
        } },
      }, "↺");
      r.note = el("p", { class: "note", id: id + "-note" });
      const set = (value) => onSet(knob.path, value === r.base ? null : value);
      if (knob.kind === "choice") {
        r.input = el("select", { id, on: { change: () => set(r.input.value) } });
      } else {
        r.input = el("input", { id, type: "range", min: 0, step: 1, on: { input: () => {
          const value = r.steps[r.input.value];
          say(r, value);
          set(value);
        } } });
      }
      r.input.setAttribute("aria-describedby", id + "-note");
      r.node = el("div", { class: "knob " + knob.kind },
        el("label", { for: id, title: knob.path }, knob.label), r.value, r.reset, r.input, r.note);
      return r;
    }

    function say(r, value) {
      r.value.textContent = value;
      r.input.setAttribute("aria-valuetext", value);
    }

    // fixed is a setting that variants or the sweep decide: there is nothing to slide.
    const fixed = (r) => r.steps.length < 2;

    function update(r, knob, base, changed) {
      const steps = stepsOf(knob, base);
      r.base = base?.value;
      if (knob.kind === "choice") {
        if (steps.join("\n") !== r.steps.join("\n")) {
          r.input.replaceChildren(...steps.map((step) => el("option", { value: step }, step)));
        }
        r.input.value = knob.value;
      } else {
        r.input.max = Math.max(steps.length - 1, 0);
        r.input.value = steps.indexOf(knob.value);
        say(r, knob.value);
      }
      r.steps = steps;
      r.input.disabled = fixed(r);
      r.node.classList.toggle("changed", changed);
      r.reset.hidden = !changed;
      const was = changed && base ? `${base.value} in the text. ` : "";
      r.note.textContent = was + (knob.note || "");
      r.note.hidden = r.note.textContent === "";
    }

    // build makes the form anew; who was on a slider stays there.
    function build(knobs) {
      const focused = document.activeElement?.id;
      rows = new Map();
      const groups = new Map();
      for (const knob of knobs) {
        if (!groups.has(knob.group)) {
          groups.set(knob.group, el("fieldset", {}, el("legend", {}, knob.group)));
        }
        const r = row(knob);
        rows.set(knob.path, r);
        groups.get(knob.group).append(r.node);
      }
      form.replaceChildren(...groups.values());
      if (focused?.startsWith("knob-")) {
        app.id(focused)?.focus();
      }
    }

    return {
      show: (knobs, base, sets) => {
        const now = knobs.map((knob) => [knob.group, knob.path, knob.kind, knob.label].join("\t")).join("\n");
        if (now !== shape) {
          build(knobs);
          shape = now;
        }
        for (const knob of knobs) {
          update(rows.get(knob.path), knob, base.find((b) => b.path === knob.path), sets.has(knob.path));
        }
      },
      disable: (yes) => {
        form.classList.toggle("stale", yes);
        for (const r of rows.values()) {
          r.input.disabled = yes || fixed(r);
        }
      },
    };
  };
})();
