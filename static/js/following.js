// A question that may take long: asked plainly, and followed part by part while no answer comes.

import { ask } from "./api.js";
import { stream, unless } from "./events.js";
import { TOO_SLOW } from "./http.js";
import { wait } from "./wait.js";

const PATIENCE = 300; // ms, in which most answers come

/**
 * Asks like `ask`. After 300 ms it follows the computation and tells `onProgress` how far it is.
 * An answer that is too slow for a plain question is followed to its end and asked for again,
 * because the server has kept it.
 * @param {string} word @param {Question} question
 * @param {Options & {onProgress: (progress: Progress) => void}} options
 * @returns {Promise<any>}
 */
export async function follow(word, question, { onProgress, ...options }) {
	const answered = new AbortController();
	const signals = [options.signal, answered.signal].filter((signal) => signal !== undefined);
	const signal = AbortSignal.any(signals);
	const events = wait(PATIENCE, signal).then(() => {
		onProgress({});
		return stream(word, question, { signal, onStep: onProgress });
	});
	events.catch(() => {}); // without a stream the plain question goes on
	try {
		return await ask(word, question, { ...options, followed: true });
	} catch (error) {
		if (/** @type {any} */ (error).status !== TOO_SLOW) throw error;
		await events.catch((problem) => unless(problem, error));
		return await ask(word, question, { ...options, followed: true });
	} finally {
		answered.abort();
	}
}
