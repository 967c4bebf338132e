// A figure that its page draws itself, on a canvas or as SVG. The markup is templates/_partials/figure.html.

import { paint } from "./draw/canvas.js";
import { palette } from "./draw/palette.js";
import { describe } from "./foot.js";

/** @typedef {import("./foot.js").Shown} Shown */

/** @param {string} id */
export function figure(id) {
	const element = /** @type {HTMLElement} */ (document.getElementById(id));
	const stage = /** @type {HTMLElement} */ (element.querySelector(".stage"));
	return {
		element,
		stage,
		/** The space there is to draw in, in CSS pixels. */
		size: () => ({ width: stage.clientWidth, height: stage.clientHeight }),
		canvas: () => canvasOf(stage),
		/** @param {Shown} what */
		show: (what) => show(element, stage, what),
	};
}

/** @param {HTMLElement} stage */
function canvasOf(stage) {
	const present = stage.querySelector("canvas");
	if (present) return present;
	const canvas = document.createElement("canvas");
	stage.append(canvas);
	return canvas;
}

/** @param {HTMLElement} element @param {HTMLElement} stage @param {Shown} what */
function show(element, stage, what) {
	if (what.scene) {
		const canvas = canvasOf(stage);
		paint(canvas, what.scene, { fonts: palette().fonts });
		canvas.setAttribute("aria-label", what.scene.label);
		if (!canvas.hasAttribute("role")) canvas.setAttribute("role", "img");
	}
	describe(element, stage, what);
}
