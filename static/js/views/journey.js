// A guided walk: one step at a time, its picture, its two sentences, and the page that shows more.

import { rooted } from "../address.js";
import { ask } from "../api.js";
import { byId, setHtml } from "../common.js";
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
		const { figures, encoding, ...run } = question;
		const { steps } = await ask("journey", run, options);
		throw Object.assign(error, { errors: [{ pointer: "step", limit: steps.length }] });
	});

/** @param {AbortSignal} signal */
export default function visit(signal) {
	/** @type {Page} */ let page;
	const { at, step, end, play } = player(signal, BEAT, (place, plays) =>
		page.set({ step: `${place + 1}` }, { push: !plays }),
	);
	drawn({
		how,
		keys: { step, end, play },
		onDraw(state, present, { words }) {
			page = present;
			for (const name of ["token", "step"]) page.options(name, words.choices[name]);
			const { length } = words.steps;
			const { explained, link, more } = words.steps[Number(state.step) - 1];
			setHtml(byId("said"), explained);
			Object.assign(byId("whole"), { href: rooted(link), textContent: more });
			at(Number(state.step) - 1, length, `${state.step} / ${length}`);
		},
	});
}
