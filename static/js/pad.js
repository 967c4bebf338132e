// A place to draw an image: with the pointer, with a finger, or with the keys. The markup is templates/_partials/pad.html.

import { paint } from "./draw/canvas.js";
import { pixels } from "./draw/colours.js";
import { palette } from "./draw/palette.js";
import { greys, inked, withPixel } from "./draw/ink.js";
import { cells, line, rect, scene } from "./draw/scene.js";
import { number } from "./draw/text.js";
import { walkable } from "./draw/walk.js";
import { announce } from "./status.js";

/** @typedef {number[][]} Values */
/** @typedef {{onDraw: (values: Values, begins: boolean) => void, onUndo: () => void, onClear: () => void}} Drawn `begins`: the first change of a stroke */

/** Makes an element of class `pad` drawable. @param {HTMLElement} element @param {Drawn} actions @returns {(values: Values, patch: number) => void} shows an image, cut into patches of so many pixels */
export function pad(element, { onDraw, onUndo, onClear }) {
  const canvas = /** @type {HTMLCanvasElement} */ (element.querySelector("canvas"));
  /** @type {Values} */ let shown = [];
  let patched = 1;
  /** @type {{x: number, y: number} | null} */ let from = null;
  /** @type {{row: number, column: number} | null} */ let here = null;

  const inks = /** @type {HTMLElement[]} */ ([...element.querySelectorAll("[data-grey]")]);
  let grey = 1;
  const size = () => canvas.parentElement?.clientWidth ?? 0;
  const place = (/** @type {PointerEvent} */ { offsetX, offsetY }) => ({ x: (offsetX * shown.length) / size(), y: (offsetY * shown.length) / size() });

  canvas.addEventListener("pointerdown", (event) => {
    if (event.button !== 0) return;
    canvas.setPointerCapture(event.pointerId);
    from = place(event);
    onDraw(inked(shown, from, from, grey), true);
  });
  canvas.addEventListener("pointermove", (event) => {
    if (!from) return;
    const to = place(event);
    onDraw(inked(shown, from, to, grey), false);
    from = to;
  });
  for (const end of ["pointerup", "pointercancel"]) canvas.addEventListener(end, () => (from = null));
  canvas.addEventListener("keydown", (event) => {
    if (![" ", "Enter"].includes(event.key) || !here) return;
    event.preventDefault();
    onDraw(withPixel(shown, here, grey), true);
    announce(say(here));
  });
  for (const ink of inks) {
    ink.addEventListener("click", () => {
      grey = Number(ink.dataset.grey);
      for (const other of inks) other.setAttribute("aria-pressed", String(other === ink));
    });
  }
  element.querySelector("[data-pad=undo]")?.addEventListener("click", onUndo);
  element.querySelector("[data-pad=clear]")?.addEventListener("click", onClear);

  const say = (/** @type {{row: number, column: number}} */ { row, column }) => `row ${row + 1}, column ${column + 1}: ink ${number(shown[row][column])}`;

  /** @param {Values} values @param {number} patch */
  function show(values, patch) {
    [shown, patched] = [values, patch];
    const side = size();
    if (!side) return;
    paint(canvas, picture(values, patched, side), { fonts: palette().fonts });
    const pixel = side / values.length;
    walkable(canvas, {
      rows: values.length, columns: values.length, say: (cell) => `${say(cell)}. Space inks.`, onPeek: (cell) => (here = cell),
      box: (row, column) => ({ x: column * pixel, y: row * pixel, width: pixel, height: pixel }),
      at: (x, y) => (x >= 0 && y >= 0 && x < side && y < side ? { row: Math.floor(y / pixel), column: Math.floor(x / pixel) } : null),
    });
    canvas.setAttribute("aria-label", "The image, to be drawn on");
  }
  new ResizeObserver(() => shown.length && show(shown, patched)).observe(/** @type {Element} */ (canvas.parentElement));
  return show;
}

/** @param {Values} values @param {number} patch @param {number} side */
function picture(values, patch, side) {
  const colours = palette();
  const n = values.length;
  const cuts = Array.from({ length: n - 1 }, (_, i) => i + 1).flatMap((i) => {
    const [at, style] = [(i * side) / n, { stroke: i % patch ? colours.rule : colours.ruleStrong, line: 1 }];
    return [line(at, 0, at, side, style), line(0, at, side, at, style)];
  });
  return scene(side, side, "", [cells(0, 0, side, side, n, n, pixels(values, greys(colours))), ...cuts, rect(0.5, 0.5, side - 1, side - 1, { stroke: colours.ruleStrong })]);
}
