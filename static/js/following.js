// A question that may take long: asked plainly, and followed part by part while no answer comes.

import { ask, TOO_SLOW } from "./api.js";
import { stream } from "./events.js";
import { wait } from "./wait.js";

const PATIENCE = 300; // ms, in which most answers come
const REFUSED = [404, 406, 429, 503]; // the stream was not opened, which says nothing of the answer

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

/**
 * Follows a computation to its end, after a plain question got `error` because it takes so long.
 * @param {string} word @param {Question} question @param {any} error
 * @param {Options} options
 */
export async function toTheEnd(word, question, error, { signal, notify }) {
	const onStep = (/** @type {Progress} */ { done = 0, of = 1 }) =>
		notify?.(`The answer takes longer than usual; ${Math.floor((100 * done) / of)} % is done.`);
	await stream(word, question, { signal, onStep }).catch((problem) => unless(problem, error));
}

/**
 * A stream that was not opened says nothing of the answer.
 * @param {any} problem @param {any} error
 */
function unless(problem, error) {
	throw REFUSED.includes(problem.status) ? error : problem;
}
