// Questions to the REST API, and their answers.

import { apiAddress } from "./address.js";
import { once, patiently, TOO_SLOW } from "./http.js";

const KEPT = 64;

/**
 * The latest answers. They never change: a question names all that it depends on.
 * @type {Map<string, any>}
 */
const kept = new Map();

/**
 * Asks a question, for instance `ask("attention", {model: "translator", source: "i am cold"})`.
 * The latest answers are kept. One that is too slow for a plain question is waited for, and then
 * the server has kept it.
 * @param {string} word @param {Question} [question] @param {Options} [options]
 * @returns {Promise<any>}
 */
export async function ask(word, question = {}, options = {}) {
	const address = apiAddress(word, question);
	if (kept.has(address)) return kept.get(address);
	const headers = { Accept: "application/json" };
	const request = () => once(address, { signal: options.signal, headers });
	const plainly = () => patiently(request, options);
	const response = await plainly().catch(async (error) => {
		if (error.status !== TOO_SLOW) throw error;
		const { toTheEnd } = await import("./events.js").catch(() => Promise.reject(error));
		await (options.late?.(error) ?? toTheEnd(word, question, error, options));
		return plainly();
	});
	const answer = await response.json();
	kept.set(address, answer);
	if (kept.size > KEPT) kept.delete(/** @type {string} */ (kept.keys().next().value));
	return answer;
}
