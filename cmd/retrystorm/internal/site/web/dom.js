"use strict";

// What the files of this page share, beside what the view has in base.js.
(() => {
  const { el } = Retrystorm;
  const app = Retrystorm.app = {};

  app.id = (name) => document.getElementById(name);

  // later gives a function that calls f once it has not been called for a while.
  app.later = (ms, f) => {
    let timer = 0;
    return () => {
      clearTimeout(timer);
      timer = setTimeout(f, ms);
    };
  };

  app.plural = (n, one, many) => `${n.toLocaleString("en-US")} ${n === 1 ? one : many}`;

  // save hands a Blob to the person as a file.
  app.save = (blob, name) => {
    const url = URL.createObjectURL(blob);
    const link = el("a", { href: url, download: name });
    document.body.append(link);
    link.click();
    link.remove();
    setTimeout(() => URL.revokeObjectURL(url), 60000);
  };

  // copy puts a text on the clipboard; where that is not allowed it is shown, to be
  // copied by hand.
  app.copy = async (text, what, say) => {
    try {
      await navigator.clipboard.writeText(text);
      say(`${what} copied.`);
    } catch {
      const field = el("textarea", { readonly: true, rows: 5, "aria-label": what }, text);
      const close = el("button", { type: "button", on: { click: () => dialog.close() } }, "Close");
      const dialog = el("dialog", { class: "ask", on: { close: () => dialog.remove() } },
        el("p", {}, `${what}: the browser does not allow copying, so copy it from here.`), field,
        el("div", { class: "buttons" }, close));
      document.body.append(dialog);
      dialog.showModal();
      field.select();
    }
  };

  // ask shows a question, and is true when the answer is yes.
  app.ask = (title, lines, yes, no) => new Promise((resolve) => {
    const end = (answer) => ({ click: () => dialog.close(answer) });
    const dialog = el("dialog", { class: "ask", "aria-labelledby": "ask-title" },
      el("h2", { id: "ask-title" }, title),
      lines.map((line) => el("p", {}, line)),
      el("div", { class: "buttons" },
        yes && el("button", { type: "button", class: "primary", on: end("yes") }, yes),
        el("button", { type: "button", on: end("no") }, no)));
    dialog.addEventListener("close", () => {
      dialog.remove();
      resolve(dialog.returnValue === "yes");
    });
    document.body.append(dialog);
    dialog.showModal();
  });
})();
