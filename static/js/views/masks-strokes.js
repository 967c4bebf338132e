// Painted cells as the address has them: "2.5,3.4-9" turns over query 2 key 5 and query 3 keys 4 to 9.

/** @typedef {Set<string>} Strokes cells that are turned over, each "query.key" */

/** No strokes at all: an empty parameter would not stand in the address, and the page opens painted. */
export const NONE = "none";

/** @param {string} flip @returns {Strokes} cells named twice are not turned at all */
export function parseStrokes(flip) {
  const cells = new Set();
  for (const stroke of flip === NONE ? [] : flip.split(",").filter(Boolean)) {
    const [query, span] = stroke.split(".");
    const [first, last = first] = (span ?? "").split("-");
    for (let key = Number(first); key <= Number(last); key += 1) {
      turn(cells, `${Number(query)}.${key}`);
    }
  }
  return cells;
}

/** @param {Strokes} cells @param {string} cell */
export const turn = (cells, cell) => void (cells.delete(cell) || cells.add(cell));

/** The shortest way to write the cells down: neighbours in a row become one span. @param {Strokes} cells */
export function writeStrokes(cells) {
  const places = [...cells].map((cell) => cell.split(".").map(Number));
  /** @type {{query: number, first: number, last: number}[]} */
  const spans = [];
  for (const [query, key] of places.sort(([q1, k1], [q2, k2]) => q1 - q2 || k1 - k2)) {
    const open = spans.at(-1);
    if (open?.query === query && open.last === key - 1) open.last = key;
    else spans.push({ query, first: key, last: key });
  }
  const written = spans.map(({ query, first, last }) => `${query}.${first}${last > first ? `-${last}` : ""}`);
  return written.join(",") || NONE;
}
