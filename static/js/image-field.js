// The bar's field of an image: which one, as a small picture; and every pad of the page, on which
// the reader's own is drawn.

import { $, $$, byId } from "./common.js";
import { palette } from "./draw/palette.js";
import { blank, paintInk, rowsOf, signs } from "./draw/ink.js";
import { card, subscribe } from "./state.js";

/** @param {AbortSignal} signal */
export default function visit(signal) {
	const [field, thumb] = [$('[name="image"]'), byId("thumb")];
	const side = card.config.image_side;

	let now = { value: "", values: blank(side) };
	let past = [now].slice(1); // what was there before each stroke
	/** @type {((values: number[][]) => void)[]} each shows an image */
	let pads = [];

	/**
	 * @param {string} value
	 * @returns {number[][]} paper where the address says nothing that can be shown
	 */
	function valuesOf(value) {
		const rows = rowsOf(card.examples.find(({ id }) => id === value)?.input.image ?? value);
		return rows && rows.length === side ? rows : blank(side);
	}

	/** @param {number[][]} values @param {boolean} begins */
	function draw(values, begins, value = signs(values)) {
		if (begins) past.push(now);
		put({ value, values }, begins ? "change" : "input");
	}

	/** A `change` is a place to go Back to. @param {typeof now} next @param {string} how */
	function put(next, how) {
		now = next;
		field.value = next.value;
		show();
		field.dispatchEvent(new Event(how, { bubbles: true }));
	}

	/** @param {Event} event */
	function press({ target }) {
		const { pad, sample } = /** @type {HTMLElement} */ (target).closest("button")?.dataset ?? {};
		if (sample) draw(valuesOf(sample), true, sample);
		else if (pad === "clear") draw(blank(side), true);
		else if (pad === "undo" && past.length) put(past.splice(-1)[0], "change");
	}

	async function furnish() {
		const { pad } = await import("./pad.js");
		pads = $$(".pad").map((element) => pad(element, draw));
		show();
	}

	function show() {
		const colours = palette();
		if (thumb) paintInk(thumb, now.values, colours);
		for (const button of $$("[data-sample]")) {
			const { sample = "" } = button.dataset;
			paintInk(button.firstElementChild, valuesOf(sample), colours);
			button.ariaPressed = String(sample === now.value);
		}
		for (const each of pads) each(now.values);
		for (const button of $$("[data-pad=undo]")) button.disabled = !past.length;
	}

	/** After Back, an example, another theme. */
	function update() {
		if (field.value !== now.value) {
			past = [];
			now = { value: field.value, values: valuesOf(field.value) };
		}
		show();
	}

	document.addEventListener("click", press, { signal });
	subscribe(update, signal);
	update();
	if ($("main .pad")) furnish();
	else $(".image-field")?.addEventListener("toggle", furnish, { once: true });
}
