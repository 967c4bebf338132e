// A figure that came drawn, with what stands under it.

import { by, one } from "../common.js";
import { describe } from "../foot.js";
import { show } from "./show.js";
import { switched } from "./switches.js";

/**
 * Shows a figure in its place on the page, under its own title; what it says `beside` itself stands
 * in the elements of these names.
 * @param {HTMLElement} element `figure` of templates/_partials/figure.html @param {Figure} served
 * @param {Omit<Shown, "plotly">} what
 */
export function showFigure(element, served, what) {
	const plotly = switched(element, served);
	const stage = one(".stage", element);
	const { title, shape, axes, beside = {} } = plotly.layout.meta;
	for (const [id, said] of Object.entries(beside)) by(id).textContent = said;
	const heading = one("h2", element);
	if (heading && heading.textContent !== title) heading.textContent = title;
	const { pick = () => {}, point, enter, below } = what;
	show(stage, plotly, pick, { point, enter }, below);
	describe(element, stage, {
		...what,
		plotly,
		shape: shape ? `[${shape.join(", ")}] ${axes.join(", ")}` : "",
	});
}
