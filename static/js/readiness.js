// Asking again while a server is busy or warming up; loaded when one has said so.

import { rooted } from "./address.js";
import { wait } from "./wait.js";
import { say } from "./words.js";

const TRIES = 6;
const LONGEST_WAIT = 120_000; // ms
const POLL = { first: 400, longest: 3000, timeout: 5000, unanswered: 5 };

/**
 * Runs a refused request again as long as the answer is "not yet", for two minutes at most.
 * `ApiError` is of the module that imports this one.
 * @type {AskAgain}
 */
export async function again(request, error, options, ApiError) {
	const until = Date.now() + LONGEST_WAIT;
	for (let attempt = 1; attempt < TRIES && Date.now() < until; attempt += 1) {
		if (!(await warmed(until, options, ApiError))) {
			options.notify?.(say("The server is busy; trying again …"));
			await wait(1000 * Math.min(Math.max(error.retryAfter, 0.5), 10), options.signal);
		}
		try {
			return await request();
		} catch (problem) {
			if (!(problem instanceof ApiError) || problem.status !== 503) throw problem;
			error = problem;
		}
	}
	throw error;
}

/**
 * Waits while the worker is warming, at most until then; returns whether it had to.
 * @param {number} until in ms @param {Options} options @param {ApiErrorClass} ApiError
 */
async function warmed(until, { signal, notify }, ApiError) {
	let unanswered = 0;
	for (let polls = 0; ; polls += 1) {
		const ready = await poll(signal);
		if (ready?.ok) return polls > 0;
		unanswered = ready ? 0 : unanswered + 1;
		if (unanswered === POLL.unanswered)
			throw new ApiError({ status: 0, detail: say("The server doesn’t answer.") });
		if (Date.now() >= until)
			throw new ApiError({ status: 503, detail: say("The model is not ready after two minutes.") });
		const { detail = "" } = (await ready?.json().catch(() => null)) ?? {};
		if (ready) notify?.(`${detail} ${say("This page will continue automatically.")}`);
		await wait(Math.min(POLL.first * 2 ** polls, POLL.longest), signal);
	}
}

/** What /readyz answers; null where nothing comes. @param {AbortSignal} [signal] */
async function poll(signal) {
	const timeout = AbortSignal.timeout(POLL.timeout);
	const either = AbortSignal.any([signal ?? [], timeout].flat());
	return fetch(rooted("/readyz"), { signal: either, cache: "no-store" }).catch(() => null);
}
