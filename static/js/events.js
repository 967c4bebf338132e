// Answers that come in pieces, as server-sent events. A stream that is cut goes on where it was.

import { apiAddress } from "./address.js";
import { ApiError, once, patiently } from "./api.js";
import { wait } from "./wait.js";

/** @typedef {{event: string, id?: string, data: any}} Event */
/** @typedef {RequestInit & {address: string}} Request */

const TRIES = 6; // in a row, without a new event
const PAUSE = Object.freeze({ first: 500, longest: 8000 });
const UNANSWERED = [0, 429]; // nothing came, or the server still counts the stream that was cut

const LOST = `The connection to the server was lost, and ${TRIES} attempts to restore it failed.`;
const RESTORING = "The connection was lost; this page connects again by itself.";

/**
 * Follows an event stream: `onStep` is called with the data of every step, in order and once;
 * resolves at the event that says "end". With `begin` the question is posted, which begins a
 * training; what is cut is resumed by GET.
 * @param {string} word @param {Question} question
 * @param {Options & {onStep: (step: any) => void, begin?: boolean}} options
 */
export async function stream(word, question, { onStep, begin = false, ...options }) {
	const address = apiAddress(word, question);
	const connect = (/** @type {Request} */ request) =>
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
		response = await connect({ address, headers }).catch(unanswered);
	}
}

/**
 * A request that begins a training.
 * @param {string} word @param {Question} question @returns {Request}
 */
const posted = (word, question) => ({
	address: apiAddress(word, {}),
	method: "POST",
	body: JSON.stringify(question),
	headers: { "Content-Type": "application/json" },
});

/**
 * A response that is an event stream. It bypasses the browser's cache, which would make it wait
 * for the plain question at the same address.
 * @param {Request} request @param {AbortSignal} [signal]
 */
async function opened({ address, ...request }, signal) {
	const headers = { ...request.headers, Accept: "text/event-stream" };
	const response = await once(address, { ...request, headers, signal, cache: "no-store" });
	if (response.headers.get("Content-Type")?.startsWith("text/event-stream")) return response;
	await response.body?.cancel();
	throw new ApiError({ status: 406, detail: "The server does not tell this in steps." });
}

/** No response, where one may come later. @param {any} error @returns {null} */
function unanswered(error) {
	if (UNANSWERED.includes(error.status)) return null;
	throw error;
}

/**
 * The events of a response until it ends or is cut; an event that is cut in two is left out.
 * @param {Response | null} response @param {AbortSignal} [signal] @returns {AsyncGenerator<Event>}
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
	const events = blocks.map(parseEvent).filter((event) => event !== null);
	return { events, rest };
}

/** @param {string} block @returns {Event | null} */
function parseEvent(block) {
	const lines = block.split("\n").filter((line) => line && !line.startsWith(":"));
	const field = (/** @type {string} */ name) =>
		lines
			.filter((line) => line.startsWith(`${name}:`))
			.map((line) => line.slice(name.length + 1).trimStart());
	const data = field("data").join("\n");
	if (!data) return null;
	return { event: field("event")[0] ?? "message", id: field("id")[0], data: JSON.parse(data) };
}
