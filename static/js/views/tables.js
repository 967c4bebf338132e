// The page of tables: a row whose values can be changed. What its columns read of one another and
// what the model says of it come drawn.

import { input, rooted, whole } from "../address.js";
import { showFigure } from "../figures/figure.js";
import { card, start } from "../page.js";

/** @typedef {Record<string, string>} State */
/** @typedef {HTMLInputElement | HTMLSelectElement} Field */

/** @param {string} selector @returns {any[]} */
const all = (selector) => [...document.querySelectorAll(selector)];
/** One visit of the page. */
export default function visit() {
	/** @type {HTMLElement[]} */
	const frames = all("[data-figure]");
	/** @type {Field[]} */
	const fields = all("[data-column]");
	const { n_encoder_layers: layers, n_heads: heads } = card.config;

	/** @param {State} state */
	const question = (state) => ({
		model: card.id,
		row: state.row,
		layer: whole(state.layer, 0, layers - 1),
		head: whole(state.head, 0, heads - 1),
		query: whole(state.query, 0, fields.length),
	});

	/** @type {import("../page.js").Page} */ let page;
	/** @type {any} */ let figures;

	start({
		load: (state, ask) =>
			ask("tables/figures", {
				...question(state),
				figures: frames.map(({ id }) => id).join(","),
				encoding: "base64",
			}),
		draw(answer, state, here) {
			[page, figures] = [here, answer.figures];
			for (const frame of frames) {
				showFigure(frame, figures[frame.id], {
					answer,
					call: ["tables", input({ model: card.id, row: state.row })],
					drawn: [`tables/figures/${frame.id}`, question(state)],
					pick: page.set,
				});
			}
			say("readout", figures.reads.layout.meta.reading);
			say("answer", answer.says.class);
			for (const { name, value } of answer.columns) fill(name, value);
			for (const link of all("[data-about]")) {
				const row = encodeURIComponent(answer.input.row);
				link.href = rooted(`/tables?model=${link.dataset.about}&row=${row}`);
			}
		},
		keys: {
			step(by) {
				if (!figures) return;
				const last = figures?.map.layout.meta.shape[0] - 1;
				const next = String(Number(page.state.query) + by);
				if (last) page.set({ query: String(whole(next, 0, last)) });
			},
		},
	});

	/** @param {string} id @param {string} text */
	const say = (id, text) => Object.assign(document.getElementById(id) ?? {}, { textContent: text });

	/**
	 * What stands in the row, but where somebody is typing, and what clearing it does.
	 * @param {string} name @param {string | number | null} value
	 */
	function fill(name, value) {
		const field = /** @type {Field} */ (fields.find(({ dataset }) => dataset.column === name));
		const typing = field === document.activeElement && field.tagName !== "SELECT";
		if (!typing) field.value = String(value ?? "");
		const place = /** @type {HTMLElement} */ (field.closest("label")?.querySelector("output"));
		const { text = "", much = false } = figures.chances.layout.meta.without[name] ?? {};
		place.textContent = text;
		place.classList.toggle("much", much);
	}

	/** The row as it is written: without what is missing. */
	const written = () =>
		fields
			.filter(({ value }) => value)
			.map(({ dataset, value }) => `${dataset.column}=${value}`)
			.join(",");

	for (const field of fields) field.addEventListener("change", () => page?.set({ row: written() }));
}
