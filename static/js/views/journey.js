// A guided walk: one step at a time, its picture, its two sentences, and the page that shows more.

import { ask } from "../api.js";
import { byId, setHtml } from "../common.js";
import { set } from "../state.js";
import { drawn } from "./drawn.js";
import { player } from "./shared.js";

const BEAT = 9000;

/**
 * A picture of each step is asked for by its number: a number beyond the last is not there.
 * @type {How}
 */
const how = (word, question, options) =>
	ask(word, question, options).catch(async (error) => {
		if (error.status !== 404) throw error;
		const { figures, ...run } = question;
		const { steps } = await ask("journey", run, options);
		error.errors = [{ pointer: "step", limit: steps.length }];
		throw error;
	});

/** @param {AbortSignal} signal */
export default function visit(signal) {
	const { at, step, end, play } = player(signal, BEAT, (place, plays) =>
		set({ step: `${place + 1}` }, { push: !plays }),
	);
	drawn({
		how,
		keys: { step, end, play },
		onDraw(state, page, { words: { choices, steps }, figures }) {
			for (const name in choices) page.options(name, choices[name]);
			const now = Number(state.step);
			if (byId("count").textContent.startsWith(`${now - 1} `))
				byId("picture").style = `--turn: turn-${now % 2}; --came: ${figures[now].layout.meta.came}`;
			const { title, explained, whole } = steps[now - 1];
			setHtml(byId("said"), explained);
			setHtml(byId("more"), whole);
			byId("readout").textContent = title;
			at(now - 1, steps.length, `${now} / ${steps.length}`);
		},
	});
}
