// A server for node tests: `fetch` is answered by a list of replies, and time passes when told to.

/** @typedef {{address: string, method: string, headers: Record<string, string>}} Asked */
/** @typedef {(request: Asked & {signal?: AbortSignal}) => Response | Promise<Response>} Reply */

/**
 * Replaces `fetch`: the n-th request to a path gets the n-th reply, the last reply goes on.
 * @param {import("node:test").TestContext} t @param {Record<string, Reply[]>} replies by path
 */
export function serve(t, replies) {
	/** @type {any[]} */ const requests = [];
	const before = globalThis.fetch;
	t.after(() => (globalThis.fetch = before));
	globalThis.fetch = async (
		address,
		{ method = "GET", headers = {}, body, signal, cache } = {},
	) => {
		const path =
			String(address).split("?")[0] + (headers.Accept === "text/event-stream" ? " events" : "");
		const request = {
			address,
			path,
			method,
			headers,
			body: body && JSON.parse(body),
			signal,
			cache,
			at: Date.now(),
		};
		const earlier = requests.filter((other) => other.path === path).length;
		requests.push(request);
		const list = replies[path] ?? [dead];
		const reply = Promise.resolve(list[Math.min(earlier, list.length - 1)](request));
		return signal ? Promise.race([reply, aborted(signal)]) : reply;
	};
	return requests;
}

const aborted = (signal) =>
	new Promise((_, stop) => {
		if (signal.aborted) stop(signal.reason);
		signal.addEventListener("abort", () => stop(signal.reason));
	});

/** Nobody listens. */
export const dead = () => Promise.reject(new TypeError("fetch failed"));
/** An answer that never comes. */
export const never = () => new Promise(() => {});
export const json =
	(value, status = 200, headers = {}) =>
	() =>
		Response.json(value, { status, headers });
export const problem = (status, more = {}, headers = {}) =>
	json(
		{ type: "/docs#problem", title: "", status, detail: `It is ${status}.`, errors: [], ...more },
		status,
		headers,
	);

const TYPE = { "Content-Type": "text/event-stream; charset=utf-8" };
const framed = ([event, data, id]) =>
	`event: ${event}\n${id === undefined ? "" : `id: ${id}\n`}data: ${JSON.stringify(data)}\n\n`;

/** A stream of these events, after which the connection is closed. */
export const events =
	(...list) =>
	() =>
		new Response(list.map(framed).join(""), { headers: TYPE });

/** A stream of these events, after which the network fails. */
export const broken =
	(...list) =>
	() =>
		new Response(
			new ReadableStream({
				pull(controller) {
					if (list.length) controller.enqueue(new TextEncoder().encode(framed(list.shift())));
					else controller.error(new TypeError("network error"));
				},
			}),
			{ headers: TYPE },
		);

/** A stream that says these events when it is told to. */
export function open() {
	/** @type {any} */ let controller;
	const body = new ReadableStream({ start: (it) => (controller = it) });
	return {
		reply: ({ signal }) => {
			signal?.addEventListener("abort", () => controller.error(signal.reason));
			return new Response(body, { headers: TYPE });
		},
		say: (...list) => controller.enqueue(new TextEncoder().encode(list.map(framed).join(""))),
	};
}

/** Lets time pass until `promise` is settled; returns how, and after how many milliseconds. */
export async function passing(t, promise) {
	const begun = Date.now();
	let settled = false;
	const outcome = promise
		.then(
			(value) => ({ value }),
			(error) => ({ error }),
		)
		.finally(() => (settled = true));
	while (!settled) {
		await turns();
		if (!settled) t.mock.timers.tick(50);
	}
	return { ...(await outcome), after: Date.now() - begun };
}

/** Lets time pass by hand. @param {number} ms */
export async function pass(t, ms) {
	for (let passed = 0; passed < ms; passed += 50) {
		t.mock.timers.tick(50);
		await turns();
	}
}

/** What is ready to go on does. */
export const turns = async () => {
	for (let turn = 0; turn < 20; turn += 1) await new Promise((done) => setImmediate(done));
};

export const stopTheClock = (t) => t.mock.timers.enable({ apis: ["setTimeout", "Date"] });
