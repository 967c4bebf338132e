// The page of tables: a row whose values can be changed. What its columns read of one another and
// what the model says of it come drawn.

import { input, rooted, whole } from "../address.js";
import { all, by } from "../common.js";
import { card, start } from "../page.js";
import { askFigures, showOne } from "./frames.js";

export default function visit() {
	const [frames, fields] = ["[data-figure]", "[data-column]"].map((selector) => all(selector));
	const ids = frames.map(({ id }) => id).join();

	/** @param {State} state */
	const asked = ({ row }) => input({ model: card.id, row });

	/** @param {State} state */
	const part = ({ layer, head, query }) => ({ layer, head, query: whole(query, 0, fields.length) });

	/** @type {Page} */ let page;
	/** The place of the last token. */ let last = 0;

	start({
		load: (state, ask) => askFigures(ask, "tables", { ...asked(state), ...part(state) }, ids),
		draw(answer, state, here) {
			page = here;
			const { reads, map, chances } = answer.figures;
			last = map.layout.meta.shape[0] - 1;
			page.shows({ query: whole(page.state.query, 0, last) });
			for (const frame of frames)
				showOne(frame, answer, `tables/${frame.id}`, asked(state), {
					part: part(state),
					pick: page.set,
				});
			by("readout").textContent = reads.layout.meta.reading;
			by("facts").textContent = reads.layout.meta.facts;
			by("answer").textContent = answer.says.class;
			for (const { name, value } of answer.columns)
				fill(
					fields.find(({ dataset }) => dataset.column === name),
					value,
					chances.layout.meta.without[name],
				);
			for (const link of all("[data-about]")) {
				const row = encodeURIComponent(answer.input.row);
				link.href = rooted(`/tables?model=${link.dataset.about}&row=${row}`);
			}
		},
		keys: {
			step: (by) =>
				last && page.set({ query: String(whole(String(Number(page.state.query) + by), 0, last)) }),
		},
	});

	/**
	 * What stands in the row, but where somebody is typing, and what clearing it does.
	 * @param {any} field @param {string | number | null} value
	 * @param {{text: string, much: boolean}} [without]
	 */
	function fill(field, value, { text, much } = { text: "", much: false }) {
		if (field !== document.activeElement || field.tagName === "SELECT") field.value = value ?? "";
		const [place] = all("output", field.parentElement);
		place.textContent = text;
		place.classList.toggle("much", much);
	}

	/** The row as it is written: without what is missing. */
	const written = () =>
		fields
			.filter(({ value }) => value)
			.map(({ dataset, value }) => `${dataset.column}=${value}`)
			.join(",");

	for (const field of fields) field.onchange = () => page?.set({ row: written() });
}
