// The models: the gallery stands in the page; its links take along what the reader has typed.

import { $$, byId } from "../common.js";
import { about } from "../other-model.js";
import { start } from "../page.js";
import { showOne } from "./frames.js";

export default function visit() {
	const tiles = $$("#gallery [data-about]");

	start({
		load: (_, ask) => ask("models/figures/sizes", { encoding: "base64" }),
		draw(figure) {
			for (const tile of tiles) tile.href = about(tile.dataset.about ?? "");
			/** @param {State} of */
			const pick = ({ model }) => tiles.find(({ dataset }) => dataset.about === model)?.click();
			showOne(byId("sizes"), figure, "models/sizes", {}, { plotly: figure, pick });
		},
		keys: { step: go, layer: go },
	});

	/** @param {number} by */
	function go(by) {
		const to = tiles[tiles.findIndex((tile) => tile.hasAttribute("aria-current")) + by];
		to?.click();
		return to;
	}
}
