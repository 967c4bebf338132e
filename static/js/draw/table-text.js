// The numbers of a picture as text: a table to read, and the same as CSV.

import { make } from "../common.js";
import { significant, visible } from "./text.js";

/**
 * @param {Table} table
 * @param {string[]} [notes] where the numbers come from, as lines that start with #
 */
export function csv({ head, rows }, notes = []) {
	const cell = (/** @type {string | number | null} */ value) =>
		typeof value === "string" ? quoted(value) : value === null ? "" : String(value);
	return [
		...notes.map((note) => `# ${note}`),
		...[head, ...rows].map((row) => row.map(cell).join(",")),
	].join("\r\n");
}

/** A cell that a spreadsheet would take for a formula gets an apostrophe. @param {string} value */
function quoted(value) {
	const safe = /^[=+\-@\t\r]/.test(value) ? `'${value}` : value;
	return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

/** @param {Table} table */
export function tableElement({ caption, head, rows }) {
	const table = make("table");
	table.createCaption().textContent = caption;
	const top = table.createTHead().insertRow();
	for (const name of head) top.append(header("col", name));
	const body = table.createTBody();
	for (const [name, ...values] of rows) {
		const row = body.insertRow();
		row.append(header("row", String(name)));
		for (const value of values)
			Object.assign(row.insertCell(), {
				className: "number",
				textContent: typeof value === "string" ? visible(value) : significant(value ?? NaN, 4),
			});
	}
	return table;
}

/** @param {"col" | "row"} scope @param {string} name */
const header = (scope, name) => make("th", { scope, className: "token-cell" }, visible(name));
