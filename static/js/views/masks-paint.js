// Painting cells: drag with a pointer, or walk with the arrows and press Space. A stroke gives every cell the state its first cell gets.

/** @typedef {{row: number, column: number}} Cell */
/**
 * @typedef {object} Brush
 * @property {(x: number, y: number) => Cell | null} at @property {(cell: Cell) => boolean} isOpen
 * @property {(cells: Cell[], open: boolean) => void} onStroke as the stroke grows @property {(cells: Cell[], open: boolean) => void} onDone once it is finished
 * @property {() => void} onCancel
 */

/** @type {WeakMap<HTMLElement, {brush: Brush, stroke: Cell[] | null, open: boolean}>} */
const painters = new WeakMap();

/** Makes a canvas paintable, or gives a paintable one its new geometry. @param {HTMLCanvasElement} canvas @param {Brush} brush */
export function paintable(canvas, brush) {
  const known = painters.get(canvas);
  if (known) {
    known.brush = brush;
    return;
  }
  const mine = { brush, stroke: /** @type {Cell[] | null} */ (null), open: true };
  painters.set(canvas, mine);
  canvas.classList.add("paintable");
  canvas.addEventListener("pointerdown", (event) => {
    const cell = event.button === 0 ? mine.brush.at(event.offsetX, event.offsetY) : null;
    if (!cell) return;
    canvas.setPointerCapture(event.pointerId);
    mine.open = !mine.brush.isOpen(cell);
    mine.stroke = [cell];
    mine.brush.onStroke(mine.stroke, mine.open);
  });
  canvas.addEventListener("pointermove", (event) => {
    const cell = mine.stroke && mine.brush.at(event.offsetX, event.offsetY);
    if (!mine.stroke || !cell || mine.stroke.some(({ row, column }) => row === cell.row && column === cell.column)) return;
    mine.stroke = [...mine.stroke, cell];
    mine.brush.onStroke(mine.stroke, mine.open);
  });
  canvas.addEventListener("pointerup", () => {
    const stroke = mine.stroke;
    mine.stroke = null;
    if (stroke) mine.brush.onDone(stroke, mine.open);
  });
  canvas.addEventListener("pointercancel", () => {
    mine.stroke = null;
    mine.brush.onCancel();
  });
}
