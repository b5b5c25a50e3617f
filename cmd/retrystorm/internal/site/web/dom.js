"use strict";

// What the files of this page share. Texts become text nodes, never markup.
(() => {
  const app = Retrystorm.app = {};

  // el makes an element: properties, "on..." listeners, and attributes for names
  // with a dash, "role" and "for".
  app.el = (tag, props = {}, ...children) => {
    const node = document.createElement(tag);
    for (const [name, value] of Object.entries(props)) {
      if (name.startsWith("on")) {
        node.addEventListener(name.slice(2), value);
      } else if (name.includes("-") || name === "role" || name === "for") {
        node.setAttribute(name, value);
      } else {
        node[name] = value;
      }
    }
    node.append(...children.filter((child) => child !== null && child !== undefined && child !== ""));
    return node;
  };

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
    const link = app.el("a", { href: url, download: name });
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
      const field = app.el("textarea", { value: text, readOnly: true, rows: 5, "aria-label": what });
      const close = app.el("button", { type: "button", onclick: () => dialog.close() }, "Close");
      const dialog = app.el("dialog", { className: "ask", onclose: () => dialog.remove() },
        app.el("p", {}, `${what}: the browser does not allow copying, so copy it from here.`), field,
        app.el("div", { className: "buttons" }, close));
      document.body.append(dialog);
      dialog.showModal();
      field.select();
    }
  };

  // ask shows a question, and is true when the answer is yes.
  app.ask = (title, lines, yes, no) => new Promise((resolve) => {
    const end = (answer) => () => dialog.close(answer);
    const dialog = app.el("dialog", { className: "ask", "aria-labelledby": "ask-title", onclose: () => {
      dialog.remove();
      resolve(dialog.returnValue === "yes");
    } },
    app.el("h2", { id: "ask-title" }, title),
    ...lines.map((line) => app.el("p", {}, line)),
    app.el("div", { className: "buttons" },
      yes && app.el("button", { type: "button", className: "primary", onclick: end("yes") }, yes),
      app.el("button", { type: "button", onclick: end("no") }, no)));
    document.body.append(dialog);
    dialog.showModal();
  });
})();
