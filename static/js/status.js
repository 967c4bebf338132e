// The status line: what the machine is doing, once it takes longer than 300 ms, or what failed.

import { $, byId, make } from "./common.js";
import { told } from "./words.js";

const PATIENCE = 300;

/** @type {Timer} */ let timer;

/** @param {string} sentence @param {"busy" | "error" | "quiet"} [level] */
function show(sentence, level = "quiet") {
	clearTimeout(timer);
	const line = byId("status");
	if (!line) return;
	// Another element: words of another length in the same one would be seen as moving.
	if (line.dataset.level !== level) $("span", line).replaceWith(make("span"));
	line.dataset.level = level;
	$("span", line).textContent = sentence;
	const bar = $("progress", line);
	bar.hidden = level !== "busy";
	bar.removeAttribute("value");
	if (level !== "busy") $("button", line)?.remove();
}

/** @param {string} sentence @param {number} [after] milliseconds */
export function busy(sentence, after = PATIENCE) {
	clearTimeout(timer);
	if (after) timer = setTimeout(() => show(sentence, "busy"), after);
	else show(sentence, "busy");
}

/** Presses the button that ends the work; returns whether there was one. */
export function cancelled() {
	const button = $("#status button");
	button?.click();
	return button !== null;
}

/** Nothing is under way; what is drawn may need a word. @param {string} [sentence] */
export const quiet = (sentence = "") => show(sentence);

/**
 * The prediction, how sure the model is and, a click away, why. Returns what has no place.
 * @param {string[]} notes @param {any} answer
 */
export function showResult(notes, { prediction = "", certainty = "note" }) {
	const chip = byId("chip");
	if (!chip) return notes;
	byId("prediction").textContent = byId("prediction").title = prediction;
	chip.hidden = !notes.length;
	chip.dataset.certainty = certainty;
	$("summary", chip).textContent = told(certainty);
	$("p", chip).textContent = notes.join(" ");
	return [];
}

/** @param {string} sentence */
export const failed = (sentence) => show(sentence, "error");

/** For ears: what the keyboard stands on. @param {string} sentence */
export function announce(sentence) {
	const live = byId("live");
	if (live) live.textContent = sentence;
}
