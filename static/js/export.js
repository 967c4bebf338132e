// What a figure shows as a file, with what one must know to understand it elsewhere: model, weights, input, seed, and the call.

import { apiAddress } from "./address.js";
import { bitmap, paint } from "./draw/canvas.js";
import { palette } from "./draw/colours.js";
import { svg } from "./draw/svg.js";
import { csv } from "./draw/table-text.js";
import { tableOf } from "./figure.js";

/** @typedef {import("./figure.js").Shown} Shown */

/** @param {Shown} what @returns {string[]} */
export function provenance({ answer, call, kind }) {
  const input = Object.entries(answer?.input ?? {}).map(([name, value]) => `${name} “${value}”`);
  const digest = cardDigest(answer?.model);
  const model = answer?.model ? `${answer.model}${digest ? ` (weights sha256 ${digest.slice(0, 12)})` : ""}, ${kind ?? answer.kind}` : (kind ?? answer?.kind ?? "");
  const seed = call[1].seed === undefined ? [] : [`seed ${call[1].seed}`];
  return [["Vitrine", model, ...input, ...seed].filter(Boolean).join(" · "), `GET ${decodeURIComponent(apiAddress(...call))}`];
}

/** @param {string | undefined} model @returns {string} */
function cardDigest(model) {
  const card = JSON.parse(document.getElementById("card")?.textContent || "{}");
  return card.id === model ? card.weights_sha256 : "";
}

/** A scene is written with its provenance under it; what was drawn otherwise writes itself. @param {Shown} what */
async function asSvg(what) {
  const scene = what.scene ?? what.vector;
  if (!scene) return /** @type {import("./figure.js").Picture} */ (what.picture).svg();
  const colours = palette();
  const image = (/** @type {any} */ shape) => bitmap(shape).toDataURL("image/png");
  return svg(scene, { fonts: colours.fonts, background: colours.paper, ink: colours.inkSoft, image, notes: provenance(what) });
}

/** Twice as sharp as the screen's pixels. @param {Shown} what @returns {Promise<Blob>} */
function asPng(what) {
  const scene = what.scene ?? what.vector;
  if (!scene) return /** @type {import("./figure.js").Picture} */ (what.picture).png();
  const colours = palette();
  const notes = provenance(what).map((content, i) => ({
    shape: "text", x: 4, y: scene.height + 16 * (i + 0.5), content, size: 11, fill: colours.inkSoft, font: "sans", anchor: "start", baseline: "middle",
  }));
  const canvas = document.createElement("canvas");
  paint(canvas, { ...scene, height: scene.height + 16 * notes.length, shapes: [...scene.shapes, ...notes] }, { fonts: colours.fonts, ratio: 2, background: colours.paper });
  return new Promise((done) => canvas.toBlob((blob) => done(/** @type {Blob} */ (blob)), "image/png"));
}

/** @type {Record<string, (what: Shown, name: string) => Promise<void>>} */
export const EXPORTS = {
  svg: async (what, name) => save(new Blob([await asSvg(what)], { type: "image/svg+xml" }), `${name}.svg`),
  png: async (what, name) => save(await asPng(what), `${name}.png`),
  csv: async (what, name) => save(new Blob([csv(await tableOf(what), provenance(what))], { type: "text/csv" }), `${name}.csv`),
  json: async (what, name) => save(new Blob([JSON.stringify(what.answer, null, 1)], { type: "application/json" }), `${name}.json`),
};

/** @param {Blob} blob @param {string} name */
function save(blob, name) {
  const link = Object.assign(document.createElement("a"), { href: URL.createObjectURL(blob), download: `vitrine-${name}` });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}
