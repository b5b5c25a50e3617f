// Draws the data inside report.html.
(function () {
  "use strict";
  const view = JSON.parse(document.getElementById("data").textContent);
  Retrystorm.theme.remember();
  Retrystorm.render(document.getElementById("view"), view, { links: true, heading: 1 });
})();
