// The bar's field of a picture: a file, chosen or dropped, scaled here.

import { $, $$, make } from "./common.js";
import { card, subscribe } from "./state.js";
import { quiet } from "./status.js";

const PNG = "data:image/png;base64,";

/** @param {AbortSignal} signal */
export default function visit(signal) {
	const field = $('[name="image"]');
	const { side, refused } = field.dataset;

	function show() {
		const image = card.examples.find(({ id }) => id === field.value)?.input.image;
		for (const each of $$(".shown")) each.src = PNG + (image ?? field.value);
	}

	/** @param {any} event */
	async function take(event) {
		const { target, dataTransfer: from = target } = event;
		if (from !== target) event.preventDefault();
		if (!from.files?.[0]) return;
		const canvas = make("canvas", { width: side, height: side });
		const ink = canvas.getContext("2d");
		ink.imageSmoothingQuality = "high";
		ink.fillStyle = "#fff"; // where a picture is clear
		ink.fillRect(0, 0, side, side);
		try {
			ink.drawImage(await createImageBitmap(from.files[0]), 0, 0, side, side);
		} catch {
			return quiet(refused);
		}
		field.value = canvas.toDataURL().slice(PNG.length);
		field.dispatchEvent(new Event("change", { bubbles: true }));
	}

	for (const type of ["change", "dragover", "drop"])
		document.addEventListener(type, take, { signal });
	subscribe(show, signal);
	show();
}
