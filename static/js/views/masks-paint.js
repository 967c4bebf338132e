// Painting the cells of a matrix: a drag over the figure gives every cell the state its first cell
// gets, at once. With Shift a drag zooms, as it does in other figures.

import { cellBox, figures, valueAt } from "../figures/show.js";

/** @typedef {{row: number, at: number}} Cell */

/** Puts an element over a cell. @param {HTMLElement} over @param {HTMLElement} stage @param {Cell} cell */
function lay(over, stage, { row, at }) {
  const { x, y, width, height } = cellBox(stage, row, at);
  const place = { left: `${x}px`, top: `${y}px`, width: `${width}px`, height: `${height}px` };
  Object.assign(over.style, place);
}

/** The matrix of a stage. @param {HTMLElement} stage @returns {any[] | undefined} */
const matrixOf = (stage) => figures.get(stage)?.traces[0]?.z;

/** The cell under the pointer. @param {HTMLElement} stage @param {MouseEvent | Touch} event */
function under(stage, event) {
  const rows = matrixOf(stage);
  if (!rows) return null;
  const { x, y } = valueAt(stage, /** @type {MouseEvent} */ (event));
  const [row, at] = [Math.round(y), Math.round(x)];
  return rows[row]?.[at] === undefined ? null : { row, at };
}

/**
 * A frame around the cell of a matrix while the same cell is pointed at in another of its size.
 * @param {HTMLElement} stage @param {HTMLElement} other @param {Cell} cell
 */
export function framed(stage, other, cell) {
  const [rows, theirs] = [stage, other].map(matrixOf);
  if (rows?.length !== theirs?.length || rows?.[0].length !== theirs?.[0].length) return;
  const frame = Object.assign(document.createElement("div"), { className: "walk" });
  stage.querySelector(".walk")?.remove();
  stage.append(frame);
  lay(frame, stage, cell);
  other.addEventListener("pointerleave", () => frame.remove(), { once: true });
}

/**
 * Lets a stage be painted. Returns what is called when the figure shows what was painted.
 * @param {HTMLElement} stage @param {(cell: Cell) => boolean} isOpen
 * @param {(cells: Cell[], open: boolean) => void} onDone once a stroke is finished
 */
export function paintable(stage, isOpen, onDone) {
  const shown = Object.assign(document.createElement("div"), { className: "strokes" });
  /** @type {Cell[]} */ let cells = [];
  let open = true;

  /** Shows a cell as it will be. @param {Cell} cell */
  function show(cell) {
    const patch = document.createElement("i");
    patch.dataset.open = String(open);
    lay(patch, stage, cell);
    shown.append(patch);
  }
  const settle = () => {
    shown.replaceChildren();
    cells.forEach(show);
  };
  const end = () => cells.splice(0);
  /** Whether the area between the axes is touched. @param {Event} event */
  const isMatrix = ({ target }) =>
    /** @type {Element} */ (target).matches(".nsewdrag, canvas");

  stage.classList.add("paintable");
  stage.append(shown);
  stage.addEventListener("pointerdown", (event) => {
    const cell = event.button || event.shiftKey || !isMatrix(event) ? null : under(stage, event);
    if (!cell) return;
    event.preventDefault(); // Plotly would begin to zoom
    stage.setPointerCapture(event.pointerId);
    stage.focus({ preventScroll: true });
    Object.assign(figures.get(stage)?.cursor ?? {}, cell, { trace: 0 });
    [cells, open] = [[cell], !isOpen(cell)];
    show(cell);
  }, { capture: true });
  stage.addEventListener("pointermove", (event) => {
    const cell = cells.length ? under(stage, event) : null;
    if (!cell || cells.some(({ row, at }) => row === cell.row && at === cell.at)) return;
    cells.push(cell);
    show(cell);
  });
  stage.addEventListener("pointerup", () => cells.length && onDone(end(), open));
  stage.addEventListener("pointercancel", () => (end(), settle()));
  stage.addEventListener("touchstart", (event) => {
    if (isMatrix(event)) event.stopPropagation();
  }, { capture: true, passive: true });

  return () => {
    const plot = /** @type {any} */ (figures.get(stage)?.plot);
    if (plot) plot.once("plotly_afterplot", settle);
    else settle();
  };
}
