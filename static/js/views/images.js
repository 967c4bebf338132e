// The page of images: a digit is drawn or chosen; one head's row lies over it, with every head and
// what [CLS] says on its way beside it.

import { whole } from "../address.js";
import { showFigure } from "../figures/figure.js";
import { card, start } from "../page.js";

const IDS = ["painted", "heads", "says"];
export default function visit() {
	const by = (/** @type {string} */ id) => /** @type {HTMLElement} */ (document.getElementById(id));
	const { image_side, patch_side, n_encoder_layers, n_heads } = card.config;

	/** A finer grid has tokens that a coarser one has not. @param {State} state */
	const question = ({ image, query, grid }) => ({
		model: card.id,
		image,
		query: String(whole(query, 0, (Number(grid) || image_side / patch_side) ** 2)),
		grid,
	});

	/** @param {State} state */
	const drawn = (state) => ({
		...question(state),
		layer: String(whole(state.layer, 0, n_encoder_layers - 1)),
		head: String(whole(state.head, 0, n_heads - 1)),
	});

	start({
		load: (state, ask) => ask("images/figures", { ...drawn(state), encoding: "base64" }),
		draw(answer, state, page) {
			const { readout, facts } = answer.figures.painted.layout.meta;
			for (const [id, said] of Object.entries({ ...facts, readout })) by(id).textContent = said;
			for (const id of IDS) {
				showFigure(by(id), answer.figures[id], {
					answer,
					call: ["images", question(state)],
					drawn: [`images/figures/${id}`, drawn(state)],
					pick: (changes) => page.set(changes),
					below: id === "painted" ? by("readout").offsetHeight : 0,
				});
			}
		},
	});
}
