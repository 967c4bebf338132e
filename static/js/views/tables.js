// The page of tables: a row whose values can be changed. What its columns read of one another and
// what the model says of it come drawn.

import { rooted, whole } from "../address.js";
import { $$, within } from "../common.js";
import { drawn } from "./drawn.js";

export default function visit() {
	const fields = $$("[data-column]");

	/** @type {Page} */ let page;
	/** The place of the last token. */ let last = 0;

	drawn({
		onDraw(_, here, { columns, figures: { map, chances }, input }) {
			page = here;
			last = map.layout.meta.shape[0] - 1;
			page.shows({ query: whole(page.state.query, 0, last) });
			const { without } = chances.layout.meta;
			for (const { name, value } of columns)
				fill(
					fields.find(({ dataset }) => dataset.column === name),
					value,
					without[name],
				);
			for (const link of $$("[data-about]")) {
				const row = encodeURIComponent(input.row);
				link.href = rooted(`/tables?model=${link.dataset.about}&row=${row}`);
			}
		},
		keys: {
			step: (by) => last && page.set({ query: `${within(0, last, +page.state.query + by)}` }),
		},
	});

	/**
	 * What stands in the row, but where somebody is typing, and what clearing it does.
	 * @param {any} field @param {string | number | null} value
	 * @param {{text: string, much: boolean}} [without]
	 */
	function fill(field, value, { text, much } = { text: "", much: false }) {
		if (field !== document.activeElement || field.tagName === "SELECT") field.value = value ?? "";
		const [place] = $$("output", field.parentElement);
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
