// A figure that came drawn, with what stands under it.

import { describe } from "../foot.js";
import { show } from "./show.js";
import { switched } from "./switches.js";

/**
 * Shows a figure in its place on the page, under its own title.
 * @param {HTMLElement} element `figure` of templates/_partials/figure.html @param {Figure} served
 * @param {Omit<Shown, "plotly">} what
 */
export function showFigure(element, served, what) {
	const plotly = switched(element, served);
	const stage = /** @type {HTMLElement} */ (element.querySelector(".stage"));
	const { title, shape, axes } = plotly.layout.meta;
	const heading = element.querySelector("h2");
	if (heading && heading.textContent !== title) heading.textContent = title;
	show(
		stage,
		plotly,
		what.pick ?? (() => {}),
		{ point: what.point, enter: what.enter },
		what.below,
	);
	describe(element, stage, {
		...what,
		plotly,
		shape: shape ? `[${shape.join(", ")}] ${axes.join(", ")}` : "",
	});
}
