// Answers that come in pieces, as server-sent events. A stream that is cut goes on where it was.

import { apiAddress } from "./address.js";
import { ApiError, once, patiently } from "./http.js";
import { wait } from "./wait.js";
import { say } from "./words.js";

const TRIES = 6; // in a row, without a new event
const PAUSE = { first: 500, longest: 8000 };
const UNANSWERED = [0, 429]; // nothing came, or the stream that was cut still counts
const REFUSED = [404, 406, 429, 503]; // the stream was not opened, which says nothing of the answer

const LOST = say(
	"The connection to the server was lost, and {tries} attempts to restore it failed.",
	{ tries: TRIES },
);
const RESTORING = say("The connection was lost; reconnecting …");

/**
 * Follows an event stream: `onStep` is called with the data of every step, in order and once;
 * resolves at the event that says "end". With `begin` the question is posted, which begins a
 * training; what is cut is resumed by GET.
 * @param {string} word @param {Question} question @param {StreamOptions} options
 */
export async function stream(word, question, { onStep, begin = false, again, ...options }) {
	const address = apiAddress(word, question);
	const connect = (/** @type {StreamRequest} */ request) =>
		patiently(() => opened(request, options.signal), options);
	/** @type {string | undefined} */ let last;
	let tries = 0;
	/** @type {Response | null} */
	let response = await connect(begin ? posted(word, question) : { address });
	for (;;) {
		for await (const { event, id, data } of events(response, options.signal)) {
			options.signal?.throwIfAborted();
			if (event === "problem") throw new ApiError(data);
			if (event === "end") return;
			if (Number(id) <= Number(last)) continue;
			last = id ?? last;
			tries = 0;
			onStep(data);
		}
		if (tries === TRIES) throw new ApiError({ status: 0, detail: LOST });
		options.notify?.(RESTORING);
		await wait(Math.min(PAUSE.first * 2 ** tries, PAUSE.longest), options.signal);
		tries += 1;
		/** @type {State} */
		const headers = last === undefined ? {} : { "Last-Event-ID": last };
		const request = again ? posted(word, question) : { address, headers };
		response = await connect(request).catch(unanswered);
	}
}

/**
 * Follows a computation to its end, after a plain question got `error` because it takes so long.
 * @param {string} word @param {Question} question @param {any} error @param {Options} options
 */
export async function toTheEnd(word, question, error, { signal, notify }) {
	const onStep = (/** @type {Progress} */ { done = 0, of = 1 }) =>
		notify?.(say("Still computing: {share}% done.", { share: Math.floor((100 * done) / of) }));
	await stream(word, question, { signal, onStep }).catch((problem) => unless(problem, error));
}

/**
 * A stream that was not opened says nothing of the answer.
 * @param {any} problem @param {any} error
 */
export function unless(problem, error) {
	throw REFUSED.includes(problem.status) ? error : problem;
}

/** @param {string} word @param {Question} question @returns {StreamRequest} */
export const posted = (word, question) => ({
	address: apiAddress(word, {}),
	method: "POST",
	body: JSON.stringify(question),
	headers: { "Content-Type": "application/json" },
});

/**
 * A response that is an event stream. It bypasses the browser's cache, which would make it wait
 * for the plain question at the same address.
 * @param {StreamRequest} request @param {AbortSignal} [signal]
 */
async function opened({ address, ...request }, signal) {
	const headers = { ...request.headers, Accept: "text/event-stream" };
	const response = await once(address, { ...request, headers, signal, cache: "no-store" });
	if (response.headers.get("Content-Type")?.startsWith("text/event-stream")) return response;
	await response.body?.cancel();
	throw new ApiError({ status: 406, detail: say("The server can’t stream this answer.") });
}

/** No response, where one may come later. @param {any} error */
function unanswered(error) {
	if (UNANSWERED.includes(error.status)) return null;
	throw error;
}

/**
 * The events of a response until it ends or is cut; an event that is cut in two is left out.
 * @param {Response | null} response @param {AbortSignal} [signal]
 */
async function* events(response, signal) {
	const reader = response?.body?.getReader();
	if (!reader) return;
	const decoder = new TextDecoder();
	let text = "";
	try {
		for (;;) {
			const { value, done } = await reader.read().catch(cut);
			signal?.throwIfAborted();
			if (done) return;
			const { events: whole, rest } = parseEvents(text + decoder.decode(value, { stream: true }));
			text = rest;
			yield* whole;
		}
	} finally {
		reader.cancel().catch(() => {});
	}
}

/** A network error ends a stream as a closed connection does. */
const cut = () => ({ value: undefined, done: true });

/**
 * The finished events in a piece of an event stream, and what is left of it.
 * @param {string} text
 */
export function parseEvents(text) {
	const blocks = text.replaceAll("\r\n", "\n").split("\n\n");
	const rest = blocks.pop() ?? "";
	return { events: blocks.flatMap(parseEvent), rest };
}

/** None without data. @param {string} block @returns {StreamEvent[]} */
function parseEvent(block) {
	const field = (name = "") =>
		Array.from(block.matchAll(RegExp(`^${name}: *(.*)$`, "gm")), ([, value]) => value);
	const [[event = "message"], [id], lines] = ["event", "id", "data"].map(field);
	const data = lines.join("\n");
	return data ? [{ event, id, data: JSON.parse(data) }] : [];
}
