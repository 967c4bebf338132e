// The numbers of a picture as a table: what table-text.js writes down when it is asked for.

/** @typedef {{caption: string, head: string[], rows: (string | number | null)[][]}} Table `head` names the columns; the first cell of a row names the row */

/** Labels down and across, one number a cell. @param {string} caption @param {string} corner @param {string[]} rows @param {string[]} columns @param {(number | null)[][]} values @returns {Table} */
export const matrixTable = (caption, corner, rows, columns, values) => ({
	caption,
	head: [corner, ...columns],
	rows: rows.map((label, i) => [label, ...values[i]]),
});
