"use strict";

// A link that carries a scenario: "#s1=", then {text, sets} as JSON, deflated, in
// base64url. The part behind # is never sent to anybody.
(() => {
  const app = Retrystorm.app;
  const version = "s1=";
  // Longer ones are no links any more; a short one may still unpack to very much.
  const longest = 100000;
  const most = 1 << 20;

  async function through(stream, bytes, limit) {
    const writer = stream.writable.getWriter();
    writer.write(bytes).catch(() => {});
    writer.close().catch(() => {}); // the reader hears of it
    const parts = [];
    let size = 0;
    const reader = stream.readable.getReader();
    for (;;) {
      const { done, value } = await reader.read();
      if (done) {
        return new Uint8Array(await new Blob(parts).arrayBuffer());
      }
      size += value.length;
      if (size > limit) {
        reader.cancel().catch(() => {});
        throw new RangeError("too much");
      }
      parts.push(value);
    }
  }

  app.pack = async (edit) => {
    const bytes = new TextEncoder().encode(JSON.stringify({ text: edit.text, sets: edit.sets }));
    const packed = await through(new CompressionStream("deflate-raw"), bytes, Infinity);
    let text = "";
    for (const byte of packed) {
      text += String.fromCharCode(byte);
    }
    const link = "#" + version + btoa(text).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
    if (link.length > longest) {
      throw new Error("The scenario is too long for a link. Send the file instead.");
    }
    return link;
  };

  // unpack gives the edit of a link, null when there is none, or says what is wrong.
  app.unpack = async (fragment) => {
    if (fragment.length < 2 || app.id(fragment.slice(1))) {
      return null; // none, or a place of this page
    }
    if (!fragment.startsWith("#" + version)) {
      throw new Error(/^#s\d+=/.test(fragment)
        ? "This link is from another version of retrystorm, which this page does not understand."
        : "This link carries no scenario: it should go on with #s1= and a long word.");
    }
    if (fragment.length > longest) {
      throw new Error(`This link is too long: ${fragment.length.toLocaleString("en-US")} characters, of which at most ${longest.toLocaleString("en-US")} are read.`);
    }
    const damaged = new Error("This link is damaged: part of it may have been cut off when it was copied.");
    try {
      const word = fragment.slice(version.length + 1).replaceAll("-", "+").replaceAll("_", "/");
      const bytes = Uint8Array.from(atob(word), (c) => c.charCodeAt(0));
      const plain = await through(new DecompressionStream("deflate-raw"), bytes, most);
      const edit = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(plain));
      const fits = typeof edit.text === "string" && Array.isArray(edit.sets) &&
        edit.sets.every((set) => typeof set === "string" && set.indexOf("=") > 0);
      if (!fits) {
        throw damaged;
      }
      return { text: edit.text, sets: edit.sets };
    } catch (error) {
      throw error instanceof RangeError
        ? new Error("This link unpacks to more than a scenario can have, and was not opened.") : damaged;
    }
  };
})();
