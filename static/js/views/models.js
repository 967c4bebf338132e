// The models page: every shipped model as a tile, the chosen one with all that its card says, or all of them side by side as a table.

import { palette } from "../draw/palette.js";
import { svgElement } from "../draw/svg.js";
import { tableElement } from "../draw/table-text.js";
import { figure } from "../figure.js";
import { card, start } from "../page.js";
import { comparison, gallery } from "./models-gallery.js";

const frame = figure("gallery");
const compared = /** @type {HTMLElement} */ (document.getElementById("compared"));

/** @type {{ids: string[], page: import("../page.js").Page} | undefined} what is drawn, for the keys */
let drawn;

start({
  load: (_, ask) => ask("models"),
  draw(answer, { show }, page) {
    const { models } = answer;
    drawn = { ids: models.map((/** @type {any} */ { id }) => id), page };
    const colours = palette();
    const { scene: picture, least } = gallery({ cards: models, current: card.id, href: page.about, colours, ...frame.size() });
    const table = comparison(models);
    frame.stage.querySelector(".until-drawn")?.remove();
    frame.stage.querySelector("svg")?.remove();
    compared.hidden = show !== "compare";
    compared.replaceChildren(...(show === "compare" ? [tableElement(table)] : []));
    frame.stage.style.minHeight = show === "compare" ? "" : `${least}px`;
    if (show !== "compare") frame.stage.append(svgElement(picture, { fonts: colours.fonts }));
    frame.show({ vector: picture, table, call: ["models", {}], answer, shape: `${models.length} models` });
  },
  keys: { step: (by) => go(by), layer: (by) => go(by) },
});

/** To the model before or after this one. @param {number} by */
function go(by) {
  const next = drawn?.ids[drawn.ids.indexOf(card.id) + by];
  if (next) location.assign(/** @type {string} */ (drawn?.page.about(next)));
}
