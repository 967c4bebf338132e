// The models: the gallery stands in the page; its links take along what the reader has typed.

import { showFigure } from "../figures/figure.js";
import { start } from "../page.js";

export default function visit() {
	/** @type {NodeListOf<HTMLAnchorElement>} */
	const list = document.querySelectorAll("#gallery [data-about]");
	const tiles = [...list];
	const sizes = /** @type {HTMLElement} */ (document.getElementById("sizes"));

	start({
		load: (_, ask) => ask("models/figures/sizes", { encoding: "base64" }),
		draw(figure, _, page) {
			for (const tile of tiles) tile.href = page.about(tile.dataset.about ?? "");
			showFigure(sizes, figure, {
				answer: figure,
				call: ["models", {}],
				drawn: ["models/figures/sizes", {}],
				pick: ({ model }) => tiles.find(({ dataset }) => dataset.about === model)?.click(),
			});
		},
		keys: { step: go, layer: go },
	});

	/** To the model before or after this one. @param {number} by */
	function go(by) {
		tiles[tiles.findIndex((tile) => tile.hasAttribute("aria-current")) + by]?.click();
	}
}
