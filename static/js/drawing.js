// A drawing that the server makes for the room there is.

import { $, within } from "./common.js";

// What the API takes, in em.
const [NARROWEST, MOST] = [20, 400];

/** The size of the type of a drawing, in CSS pixels. @param {Element} stage */
export function em(stage) {
	const root = Number.parseFloat(getComputedStyle(document.documentElement).fontSize);
	return Number.parseFloat(getComputedStyle(stage).getPropertyValue("--size-tick")) * root;
}

/**
 * Its size in quarters of an em, within what is drawn: sizes that are nearly alike have one
 * drawing.
 * @param {HTMLElement} stage
 */
export function size(stage) {
	const quarters = (pixels = 0, least = 0) =>
		within(least, MOST, Math.floor((4 * pixels) / em(stage)) / 4);
	return { width: quarters(stage.clientWidth, NARROWEST), height: quarters(stage.offsetHeight, 0) };
}

/** Takes the place of the drawing that is there. @param {Element} stage @param {string} svg */
export function put(stage, svg) {
	// As XML nothing in it can become a script.
	const parsed = new DOMParser().parseFromString(svg, "image/svg+xml").documentElement;
	const drawing = document.importNode(parsed, true);
	$("svg", stage)?.remove();
	stage.append(drawing);
	return drawing;
}
