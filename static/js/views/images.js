// The page of images: a digit is drawn or chosen; one head's row lies over it, with every head and
// what [CLS] says on its way beside it.

import { whole } from "../address.js";
import { by } from "../common.js";
import { card, start } from "../page.js";
import { askFigures, showOne } from "./frames.js";

const IDS = "painted,heads,says";

export default function visit() {
	const { image_side, patch_side } = card.config;

	/** A finer grid has tokens that a coarser one has not. @param {State} state */
	const question = ({ image, query, grid, window, block }) => ({
		model: card.id,
		image,
		query: String(whole(query, 0, (Number(grid) || image_side / patch_side) ** 2)),
		grid,
		window,
		block,
	});

	/** @param {State} state */
	const part = ({ layer, head }) => ({ layer, head });

	start({
		load: (state, ask) => askFigures(ask, "images", { ...question(state), ...part(state) }, IDS),
		draw(answer, state, page) {
			page.shows(question(state));
			const { readout, facts } = answer.figures.painted.layout.meta;
			for (const [id, said] of Object.entries({ ...facts, readout })) by(id).textContent = said;
			for (const id of IDS.split(","))
				showOne(by(id), answer, `images/${id}`, question(state), {
					part: part(state),
					pick: page.set,
					below: id === "painted" ? by("readout").offsetHeight : 0,
				});
		},
	});
}
