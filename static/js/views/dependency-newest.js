// The diagonal as lines, one a placement, and under it the shortcuts that Admin's profile chose.

import { lines } from "../draw/chart.js";
import { PLACEMENT, placementColour } from "../draw/placements.js";
import { move, scene } from "../draw/scene.js";
import { matrixTable } from "../draw/table.js";
import { number, weight } from "../draw/text.js";
import { subLayer } from "./dependency-maps.js";

/** @param {any} answer @param {import("../clinic.js").Space} space @returns {import("../clinic.js").Drawn} */
export function newest(answer, { width, height, colours, state }) {
  const placements = /** @type {string[]} */ (answer.axes.placement.labels);
  const names = /** @type {string[]} */ (answer.axes.sublayer.labels);
  const shares = /** @type {number[][]} */ (answer.tensors["dependency.all"].data);
  const omegas = /** @type {number[]} */ (answer.tensors.omega.data);
  const xs = names.map(Number);
  const colour = (/** @type {string} */ placement) => placementColour(colours, placement);
  const upper = lines({
    series: placements.map((placement, i) => ({ name: PLACEMENT[placement], colour: colour(placement), values: shares[i], dots: placement === state.placement, dash: placement === "admin" ? [6, 4] : undefined })),
    xs, x: "", y: { title: "own share when just added", low: 0 }, label: "", width, height: height * 0.56, colours,
  });
  const lower = lines({
    series: [{ name: "Post-LN", colour: colour("post"), values: omegas.map(() => 1) }, { name: PLACEMENT.admin, colour: colour("admin"), values: omegas, dots: true }],
    xs, x: "sub-layer i", y: { title: "ω on the shortcut", low: 0 }, label: "", width, height: height * 0.44, colours,
  });
  const say = (/** @type {{column: number}} */ { column }) => `${subLayer(column)}: ${placements.map((placement, i) => `${PLACEMENT[placement]} ${weight(shares[i][column], 3)}`).join(", ")}; omega ${number(omegas[column])}`;
  const label = `Share of the newest writer by sub-layer: ${placements.map((placement) => PLACEMENT[placement]).join(", ")}; and Admin's omega`;
  const rows = [...placements.map((placement) => PLACEMENT[placement]), "omega"];
  return {
    ...upper, scene: scene(width, height, label, [...upper.scene.shapes, ...move(0, height * 0.56, lower.scene.shapes)]),
    tensor: "dependency.all", rows: 1, columns: names.length, say, table: matrixTable("Share of the newest writer", "placement \\ sub-layer", rows, names, [...shares, omegas]),
  };
}
