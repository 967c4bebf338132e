// A cell of the map is set to a number that is typed. A weight stands as it is typed; a score goes
// through the mask and the softmax, as any score does.

import { make } from "../common.js";
import { withCell } from "../edit-list.js";

/**
 * A field in the place of the button, until a number is typed or the reader goes elsewhere.
 * @param {HTMLElement} button @param {string} typed
 * @param {(edits: (before: string) => string) => void} put
 * @param {{at: string, where: Record<string, number[]>}} cell
 */
export function askNumber(button, typed, put, cell) {
	const field = make("input", {
		type: "text",
		inputMode: "decimal",
		className: "set-cell",
		value: typed,
		ariaLabel: "The new number of this cell",
	});
	const close = () => {
		field.onblur = null;
		field.remove();
		button.hidden = false;
	};
	field.onkeydown = (/** @type {KeyboardEvent} */ event) => {
		const value = Number(field.value.replace(",", ".").replace("−", "-"));
		if (event.key !== "Enter" && event.key !== "Escape") return;
		event.preventDefault();
		if (event.key === "Enter") {
			field.ariaInvalid = String(!field.value.trim() || !Number.isFinite(value));
			if (field.ariaInvalid === "true") return;
			put((before) => withCell(before, { op: "set", ...cell, value }));
		}
		const { parentElement: stage } = button;
		close();
		stage?.focus();
	};
	field.onblur = close;
	button.hidden = true;
	button.before(field);
	field.focus();
}
