// Painting the cells of a matrix: a drag over the figure gives every cell the state its first cell
// gets, at once. With Shift a drag zooms, as it does in other figures.

import { cellBox, figures } from "../figures/show.js";

/** @typedef {{row: number, at: number}} Cell */

/** Puts an element over a cell. @param {HTMLElement} over @param {HTMLElement} stage @param {Cell} cell */
function lay(over, stage, { row, at }) {
  const { x, y, width, height } = cellBox(stage, row, at);
  const place = { left: `${x}px`, top: `${y}px`, width: `${width}px`, height: `${height}px` };
  Object.assign(over.style, place);
}

/** The matrix of a stage. @param {HTMLElement} stage @returns {any[] | undefined} */
const matrixOf = (stage) => figures.get(stage)?.traces[0]?.z;

/** The cell under the pointer. @param {HTMLElement} stage @param {{clientX: number, clientY: number}} place */
function under(stage, { clientX, clientY }) {
  const rows = matrixOf(stage);
  if (!rows) return null;
  const { left, top } = stage.getBoundingClientRect();
  const { box, x, y, width, height } = cellBox(stage, 0, 0);
  const [right, down] = [clientX - left, clientY - top];
  const [at, row] = [Math.floor((right - x) / width), Math.floor((down - y) / height)];
  const inside = Math.abs(right - box.x - box.width / 2) < box.width / 2
    && Math.abs(down - box.y - box.height / 2) < box.height / 2;
  return inside && rows[row]?.[at] !== undefined ? { row, at } : null;
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
  /** @param {Element} target @param {{clientX: number, clientY: number}} place */
  const cellAt = (target, place) => (target.closest(".modebar") ? null : under(stage, place));

  stage.classList.add("paintable");
  stage.append(shown);
  stage.addEventListener("pointerdown", (event) => {
    const at = cellAt(/** @type {Element} */ (event.target), event);
    if (!at || event.button || event.shiftKey) return;
    event.preventDefault(); // Plotly would begin to zoom
    stage.setPointerCapture(event.pointerId);
    stage.focus({ preventScroll: true });
    Object.assign(figures.get(stage)?.cursor ?? {}, at, { trace: 0 });
    [cells, open] = [[at], !isOpen(at)];
    show(at);
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
    if (cellAt(/** @type {Element} */ (event.target), event.touches[0])) event.stopPropagation();
  }, { capture: true, passive: true });

  return () => {
    const plot = /** @type {any} */ (figures.get(stage)?.plot);
    if (plot) plot.once("plotly_afterplot", settle);
    else settle();
  };
}
