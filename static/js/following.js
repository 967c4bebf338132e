// A question that may take long: asked plainly, and followed part by part while no answer comes.

import { ask } from "./api.js";
import { stream, unless } from "./events.js";
import { wait } from "./wait.js";

const PATIENCE = 300; // ms, in which most answers come

/**
 * Asks like `ask`. After 300 ms it follows the computation and tells `onProgress` how far it is.
 * @type {Follow}
 */
export function follow(word, question, { onProgress, ...options }) {
	const answered = new AbortController();
	const signal = AbortSignal.any([options.signal ?? [], answered.signal].flat());
	const events = wait(PATIENCE, signal).then(() => {
		onProgress({});
		return stream(word, question, { signal, onStep: onProgress });
	});
	events.catch(() => {}); // without a stream the plain question goes on
	const late = (/** @type {any} */ error) => events.catch((problem) => unless(problem, error));
	return ask(word, question, { ...options, late }).finally(() => answered.abort());
}
