// A figure in the frame of a notebook. When the notebook turns light or dark, it is drawn in the
// other colours, and what is zoomed stays so.

import "./framed.js";
import { axesOf } from "./figures/arrange.js";
import { figures, show } from "./figures/show.js";

/** The axes that are zoomed, with their ranges. @param {Interactive} figure */
function zooms(figure) {
	const full = figure.plot?._fullLayout ?? {};
	const keys = axesOf(figure).map(({ key }) => key);
	const zoomed = keys.filter((key) => full[key] && `${full[key].range}` !== `${figure.home[key]}`);
	return zoomed.map((key) => [`${key}.range`, [...full[key].range]]);
}

async function redraw() {
	for (const [stage, figure] of figures) {
		const { plot, served, pick } = /** @type {Interactive} */ (figure);
		const kept = Object.fromEntries(zooms(/** @type {Interactive} */ (figure)));
		await show(stage, served, pick);
		if (plot) Plotly.relayout(plot, kept);
	}
}

new MutationObserver(redraw).observe(document.documentElement, { attributeFilter: ["data-theme"] });
