"use strict";

// The list of the built-in scenarios: a field that filters, and a list below it.
(() => {
  const { app, el } = Retrystorm;

  // picker makes a combobox of a field and its list and gives {show(name), add(list)}.
  app.picker = (field, list, onPick) => {
    let scenarios = [];
    let options = [];
    let active = -1;
    let shown = "";

    const close = () => {
      list.hidden = true;
      field.setAttribute("aria-expanded", "false");
      field.removeAttribute("aria-activedescendant");
      field.value = shown;
    };

    const pick = (scenario) => {
      shown = scenario.name;
      close();
      onPick(scenario);
    };

    function mark(i) {
      options[active]?.removeAttribute("aria-selected");
      active = options.length ? (i + options.length) % options.length : -1;
      const option = options[active];
      if (!option) {
        field.removeAttribute("aria-activedescendant");
        return;
      }
      option.setAttribute("aria-selected", "true");
      option.scrollIntoView({ block: "nearest" });
      field.setAttribute("aria-activedescendant", option.id);
    }

    // open shows the scenarios that have all words of the filter.
    function open(filter) {
      const words = filter.toLowerCase().split(/\s+/);
      const fits = (s) => words.every((word) => `${s.name} ${s.title}`.toLowerCase().includes(word));
      const found = scenarios.filter(fits);
      options = found.map((scenario, i) => el("li", {
        id: "scenario-" + i, role: "option", on: { click: () => pick(scenario) },
      }, el("b", {}, scenario.name), el("span", {}, scenario.title)));
      list.replaceChildren(...(options.length ? options
        : [el("li", { role: "option", "aria-disabled": "true" }, "No built-in scenario has these words.")]));
      list.hidden = false;
      field.setAttribute("aria-expanded", "true");
      active = -1;
      mark(Math.max(found.findIndex((scenario) => scenario.name === shown), 0));
    }

    field.addEventListener("input", () => open(field.value));
    field.addEventListener("click", () => {
      if (list.hidden) {
        field.select();
        open("");
      }
    });
    field.addEventListener("blur", close);
    list.addEventListener("mousedown", (event) => event.preventDefault()); // the field keeps the focus
    field.addEventListener("keydown", (event) => {
      const closed = list.hidden;
      switch (event.key) {
        case "ArrowDown":
        case "ArrowUp":
          if (closed) {
            open("");
          } else {
            mark(active + (event.key === "ArrowDown" ? 1 : -1));
          }
          break;
        case "Enter":
          if (closed || event.ctrlKey || event.metaKey) {
            return;
          }
          options[active]?.click();
          break;
        case "Escape":
          if (closed) {
            return;
          }
          close();
          break;
        default:
          return;
      }
      event.preventDefault();
    });

    return {
      add: (all) => { scenarios = all; },
      show: (name) => {
        shown = name;
        if (list.hidden) {
          field.value = name;
        }
      },
    };
  };
})();
