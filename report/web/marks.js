// How a variant looks: a colour, a dash and a marker, so that colour is never the
// only difference.
(function (R) {
  "use strict";

  // ink is the colour of a variant in the theme of now.
  R.ink = (variant) => (R.theme.dark() ? variant.dark : variant.color);

  // shape is the outline of a marker around (0, 0).
  function shape(marker, r) {
    const s = r * 0.9;
    switch (marker) {
      case "square": return [[-s, -s], [s, -s], [s, s], [-s, s]];
      case "triangle": return [[0, -r * 1.15], [r * 1.1, r * 0.85], [-r * 1.1, r * 0.85]];
      case "triangle-down": return [[0, r * 1.15], [r * 1.1, -r * 0.85], [-r * 1.1, -r * 0.85]];
      case "diamond": return [[0, -r * 1.25], [r * 1.25, 0], [0, r * 1.25], [-r * 1.25, 0]];
    }
    return null; // circle and cross are no polygons
  }

  // mark draws a marker on a canvas.
  R.mark = function (ctx, marker, x, y, r) {
    const points = shape(marker, r);
    ctx.beginPath();
    if (marker === "cross") {
      ctx.lineWidth = Math.max(1.5, r * 0.55);
      ctx.moveTo(x - r, y - r); ctx.lineTo(x + r, y + r);
      ctx.moveTo(x + r, y - r); ctx.lineTo(x - r, y + r);
      ctx.stroke();
      return;
    }
    if (points) points.forEach(([dx, dy]) => ctx.lineTo(x + dx, y + dy));
    else ctx.arc(x, y, r, 0, 2 * Math.PI);
    ctx.closePath();
    ctx.fill();
  };

  // marker is the same as part of a drawing.
  R.marker = function (variant, x, y, r) {
    const points = shape(variant.marker, r);
    if (points) return R.svg("polygon", { points: points.map(([dx, dy]) => `${x + dx},${y + dy}`).join(" "), fill: "currentColor" });
    if (variant.marker === "cross") {
      return R.svg("path", { d: `M${x - r} ${y - r}l${2 * r} ${2 * r}m0 ${-2 * r}l${-2 * r} ${2 * r}`, stroke: "currentColor", "stroke-width": r * 0.55 });
    }
    return R.svg("circle", { cx: x, cy: y, r, fill: "currentColor" });
  };

  // swatch is the line and the marker beside the name of a variant, or an area.
  R.swatch = (variant, area) => paint(swatch(area
    ? [R.svg("rect", { x: 1, y: 1, width: 26, height: 10, fill: "currentColor", opacity: 0.5 })]
    : [stroke("currentColor", 2, variant.dashes), R.marker(variant, 14, 6, 4)]), variant);

  // plainSwatch is that of a line that belongs to no variant.
  R.plainSwatch = (line) => swatch([stroke(`var(--rs-${line.color || "soft"})`, line.width || 1.5, line.dash)]);

  const swatch = (parts) => R.svg("svg", { class: "rs-swatch", viewBox: "0 0 28 12", width: "28", height: "12", "aria-hidden": "true" }, parts);

  const stroke = (color, width, dash) => R.svg("line", { x1: 1, y1: 6, x2: 27, y2: 6, style: { stroke: color }, "stroke-width": width, "stroke-dasharray": (dash || []).join(" ") || null });

  // dot is only the marker.
  R.dot = (variant) => paint(R.svg("svg", { class: "rs-dot", viewBox: "0 0 14 14", width: "14", height: "14", "aria-hidden": "true" }, R.marker(variant, 7, 7, 4.5)), variant);

  // paint gives a node both colours of a variant; the style sheet takes one.
  function paint(node, variant) {
    node.style.setProperty("--rs-ink-light", variant.color);
    node.style.setProperty("--rs-ink-dark", variant.dark);
    node.classList.add("rs-ink");
    return node;
  }
  R.paint = paint;
})(window.Retrystorm);
