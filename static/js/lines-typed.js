// Line breaks typed into a field of one line, or pasted.

import { shown, SIGN } from "./controls.js";

/** Shift+Enter, or a text with line breaks pasted. @param {HTMLInputElement} field */
export function breakable(field) {
	const put = (/** @type {Event} */ event, text = "") => {
		event.preventDefault();
		field.setRangeText(text, field.selectionStart ?? 0, field.selectionEnd ?? 0, "end");
		field.dispatchEvent(new Event("input", { bubbles: true }));
	};
	// A block: what a handler of this kind returns as false would undo every other key.
	field.onkeydown = (event) => {
		if (event.key === "Enter" && event.shiftKey) put(event, SIGN);
	};
	field.onpaste = (event) =>
		put(event, shown(field, event.clipboardData?.getData("text").replaceAll("\r\n", "\n") ?? ""));
}
