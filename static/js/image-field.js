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

	/** @type {{value: string, values: number[][]}[]} what was there before each stroke */
	let past = [];
	/** @type {{value: string, values: number[][]}} */
	let now = { value: "", values: blank(side) };
	/**
	 * @type {((values: number[][]) => void)[]} each shows an image; their code comes when the first is in sight
	 */
	let pads = [];

	/**
	 * @param {string} value
	 * @returns {number[][]} the pixels of what the address says; paper where it says nothing that can be shown
	 */
	function valuesOf(value) {
		const rows = rowsOf(card.examples.find(({ id }) => id === value)?.input.image ?? value);
		return rows && rows.length === side ? rows : blank(side);
	}

	/** As short as it can be said: an example by its id. @param {number[][]} values */
	const written = (values) =>
		card.examples.find(({ input }) => input.image === values.flat().join())?.id ?? signs(values);

	/** @param {number[][]} values @param {boolean} begins */
	function draw(values, begins) {
		if (begins) past.push(now);
		put({ value: written(values), values }, begins ? "change" : "input");
	}

	/**
	 * To the page as any control tells it: a `change` is a place to go Back to, an `input` goes
	 * on with the present one.
	 * @param {typeof now} next @param {"change" | "input"} how
	 */
	function put(next, how) {
		now = next;
		field.value = next.value;
		show();
		field.dispatchEvent(new Event(how, { bubbles: true }));
	}

	/** @param {Event} event */
	function press({ target }) {
		const { pad, sample } = /** @type {HTMLElement} */ (target).closest("button")?.dataset ?? {};
		if (sample) draw(valuesOf(sample), true);
		else if (pad === "clear") draw(blank(side), true);
		else if (pad === "undo" && past.length) put(/** @type {typeof now} */ (past.pop()), "change");
	}

	async function furnish() {
		const { pad } = await import("./pad.js");
		pads = $$(".pad").map((element) => pad(element, draw));
		show();
	}

	/** The pictures are a pixel a pixel; their sizes on the page are the style's. */
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

	/** The address may have gone elsewhere: to an example, or Back; or the theme is another. */
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
