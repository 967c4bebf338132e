// A figure on the page: its stage, its line of facts, its table, its exports. The markup is templates/_partials/figure.html.

import { apiAddress } from "./address.js";
import { bitmap, paint } from "./draw/canvas.js";
import { palette } from "./draw/colours.js";
import { svg } from "./draw/svg.js";
import { csv, tableElement } from "./draw/table.js";

/** @typedef {import("./draw/scene.js").Scene} Scene */
/** @typedef {import("./draw/table.js").Table} Table */
/** @typedef {{svg: () => Promise<string>, png: () => Promise<Blob>}} Picture */
/**
 * @typedef {object} Shown what a view hands over: everything but the stage is told by data
 * @property {Scene} [scene] painted on the figure's canvas @property {Scene} [vector] a scene the view has put into the page as SVG itself
 * @property {Picture} [picture] for what is drawn otherwise: how to export it @property {Table} table the same numbers as text
 * @property {[string, import("./address.js").Question]} call the word and the question that return them
 * @property {any} answer the answer itself, for JSON and the caption @property {string} [kind] @property {string} [shape]
 */

/** @type {Map<string, Shown>} */
const shown = new Map();

/** @param {string} id */
export function figure(id) {
  const element = /** @type {HTMLElement} */ (document.getElementById(id));
  const stage = /** @type {HTMLElement} */ (element.querySelector(".stage"));
  return {
    element,
    stage,
    /** The space there is to draw in, in CSS pixels. */
    size: () => ({ width: stage.clientWidth, height: stage.clientHeight }),
    canvas: () => canvasOf(stage),
    /** @param {Shown} what */
    show: (what) => show(element, stage, what),
  };
}

/** @param {HTMLElement} stage */
function canvasOf(stage) {
  const present = stage.querySelector("canvas");
  if (present) return present;
  const canvas = document.createElement("canvas");
  stage.append(canvas);
  return canvas;
}

/** @param {HTMLElement} element @param {HTMLElement} stage @param {Shown} what */
function show(element, stage, what) {
  if (!shown.has(element.id)) listen(element);
  shown.set(element.id, what);
  if (what.scene) {
    const canvas = canvasOf(stage);
    paint(canvas, what.scene, { fonts: palette().fonts });
    canvas.setAttribute("aria-label", what.scene.label);
    if (!canvas.hasAttribute("role")) canvas.setAttribute("role", "img");
  }
  const kind = what.kind ?? what.answer?.kind;
  const badge = element.querySelector("[data-badge]");
  if (badge && kind) Object.assign(badge, { textContent: kind }).setAttribute("data-kind", kind);
  const shape = element.querySelector("[data-shape]");
  if (shape) shape.textContent = what.shape ?? "";
  element.querySelector("[data-get]")?.setAttribute("href", apiAddress(...what.call));
  const wrap = element.querySelector(".table-wrap");
  if (wrap && !wrap.hasAttribute("hidden")) wrap.replaceChildren(tableElement(what.table));
}

/** @param {HTMLElement} element */
function listen(element) {
  const toggle = /** @type {HTMLElement} */ (element.querySelector("[data-table]"));
  toggle?.addEventListener("click", () => {
    const wrap = /** @type {HTMLElement} */ (element.querySelector(".table-wrap"));
    wrap.hidden = !wrap.hidden;
    toggle.setAttribute("aria-expanded", String(!wrap.hidden));
    wrap.replaceChildren(...(wrap.hidden ? [] : [tableElement(/** @type {Shown} */ (shown.get(element.id)).table)]));
  });
  const menu = element.querySelector(".export");
  for (const button of element.querySelectorAll("[data-export]")) {
    button.addEventListener("click", async () => {
      await EXPORTS[button.getAttribute("data-export") ?? "json"](/** @type {Shown} */ (shown.get(element.id)), element.id);
      menu?.removeAttribute("open");
    });
  }
  menu?.addEventListener("keydown", (event) => {
    if (/** @type {KeyboardEvent} */ (event).key !== "Escape") return;
    menu.removeAttribute("open");
    menu.querySelector("summary")?.focus();
    event.preventDefault();
  });
}

/** Opens the exports of the first figure in sight. */
export function openExport() {
  const inSight = [...document.querySelectorAll(".figure")].find((element) => element.getBoundingClientRect().bottom > 0);
  const menu = inSight?.querySelector(".export");
  menu?.setAttribute("open", "");
  menu?.querySelector("button")?.focus();
}

/** @param {Shown} what what an export must say to be understood later and elsewhere @returns {string[]} */
export function provenance({ answer, call, kind }) {
  const input = Object.entries(answer?.input ?? {}).map(([name, value]) => `${name} “${value}”`);
  const digest = cardDigest(answer?.model);
  const model = answer?.model ? `${answer.model}${digest ? ` (weights sha256 ${digest.slice(0, 12)})` : ""}, ${kind ?? answer.kind}` : (kind ?? answer?.kind ?? "");
  const seed = call[1].seed === undefined ? [] : [`seed ${call[1].seed}`];
  return [["Vitrine", model, ...input, ...seed].filter(Boolean).join(" · "), `GET ${decodeURIComponent(apiAddress(...call))}`];
}

/** @param {string | undefined} model @returns {string} */
function cardDigest(model) {
  const cards = JSON.parse(document.getElementById("cards")?.textContent || "[]");
  return cards.find((/** @type {any} */ card) => card.id === model)?.weights_sha256 ?? "";
}

/** @param {Shown} what */
function asSvg(what) {
  if (what.picture) return what.picture.svg();
  const colours = palette();
  const image = (/** @type {any} */ shape) => bitmap(shape).toDataURL("image/png");
  return Promise.resolve(svg(/** @type {Scene} */ (what.scene ?? what.vector), { fonts: colours.fonts, background: colours.paper, ink: colours.inkSoft, image, notes: provenance(what) }));
}

/** Twice as sharp as the screen's pixels. @param {Shown} what @returns {Promise<Blob>} */
function asPng(what) {
  if (what.picture) return what.picture.png();
  const colours = palette();
  const scene = /** @type {Scene} */ (what.scene ?? what.vector);
  const notes = provenance(what).map((content, i) => ({
    shape: "text", x: 4, y: scene.height + 16 * (i + 0.5), content, size: 11, fill: colours.inkSoft, font: "sans", anchor: "start", baseline: "middle",
  }));
  const canvas = document.createElement("canvas");
  paint(canvas, { ...scene, height: scene.height + 16 * notes.length, shapes: [...scene.shapes, ...notes] }, { fonts: colours.fonts, ratio: 2, background: colours.paper });
  return new Promise((done) => canvas.toBlob((blob) => done(/** @type {Blob} */ (blob)), "image/png"));
}

/** @type {Record<string, (what: Shown, name: string) => Promise<void>>} */
const EXPORTS = {
  svg: async (what, name) => save(new Blob([await asSvg(what)], { type: "image/svg+xml" }), `${name}.svg`),
  png: async (what, name) => save(await asPng(what), `${name}.png`),
  csv: async (what, name) => save(new Blob([csv(what.table, provenance(what))], { type: "text/csv" }), `${name}.csv`),
  json: async (what, name) => save(new Blob([JSON.stringify(what.answer, null, 1)], { type: "application/json" }), `${name}.json`),
};

/** @param {Blob} blob @param {string} name */
function save(blob, name) {
  const link = Object.assign(document.createElement("a"), { href: URL.createObjectURL(blob), download: `vitrine-${name}` });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}
