// An event stream is told whole, in order and once, however often its connection is cut.

import assert from "node:assert/strict";
import { test } from "node:test";
import "../../static/js/readiness.js"; // else it would be loaded while the clock stands
import { parseEvents, stream } from "../../static/js/events.js";
import {
	broken,
	dead,
	events,
	json,
	never,
	open,
	pass,
	passing,
	problem,
	serve,
	stopTheClock,
	turns,
} from "./server.js";

const PATH = "/api/v1/generate events";
const step = (id) => ["step", { step: id }, id];
const end = ["end", {}];

/** Follows a stream; `seen` is what it told. */
async function followed(t, replies, options = {}) {
	stopTheClock(t);
	const requests = serve(t, replies);
	const seen = [];
	const outcome = await passing(
		t,
		stream("generate", { source: "a b" }, { onStep: ({ step }) => seen.push(step), ...options }),
	);
	return {
		...outcome,
		seen,
		requests,
		ids: requests.map(({ headers }) => headers["Last-Event-ID"]),
	};
}

test("events are read whole, however the network cuts them", () => {
	const text =
		'event: step\nid: 0\ndata: {"token": "je"}\n\n: comment\n\nevent: end\r\ndata: {}\r\n\r\n';
	const whole = [
		{ event: "step", id: "0", data: { token: "je" } },
		{ event: "end", id: undefined, data: {} },
	];
	for (let cut = 0; cut <= text.length; cut += 1) {
		const first = parseEvents(text.slice(0, cut));
		const second = parseEvents(first.rest + text.slice(cut));
		assert.deepEqual([...first.events, ...second.events], whole, `cut at ${cut}`);
	}
});

test("a stream that comes whole is asked for once, past the browser's cache", async (t) => {
	const { seen, requests, error } = await followed(t, { [PATH]: [events(step(0), step(1), end)] });
	assert.deepEqual([error, seen], [undefined, [0, 1]]);
	const asked = requests.map(({ address, method, cache }) => [address, method, cache]);
	assert.deepEqual(asked, [["/api/v1/generate?source=a+b", "GET", "no-store"]]);
});

test("a stream that is cut goes on after its last event", async (t) => {
	const replies = [events(step(0), step(1)), broken(step(2)), events(step(3), end)];
	const { seen, ids, after } = await followed(t, { [PATH]: replies });
	assert.deepEqual(seen, [0, 1, 2, 3]);
	assert.deepEqual(ids, [undefined, "1", "2"]);
	assert.equal(after, 1000, "the pause is short again after an event");
});

test("a cut inside an event tells that event once, after the connection is there again", async (t) => {
	const torn = () =>
		new Response('event: step\nid: 0\ndata: {"step": 0}\n\nevent: step\nid: 1\ndata: {"st', {
			headers: { "Content-Type": "text/event-stream" },
		});
	const { seen, ids } = await followed(t, { [PATH]: [torn, events(step(1), end)] });
	assert.deepEqual(
		[seen, ids],
		[
			[0, 1],
			[undefined, "0"],
		],
	);
});

test("no event is told twice, though the server begins anew", async (t) => {
	const { seen } = await followed(t, {
		[PATH]: [broken(step(0), step(1)), events(step(0), step(1), step(2), end)],
	});
	assert.deepEqual(seen, [0, 1, 2]);
});

test("a connection that stays lost is tried six times, ever more rarely", async (t) => {
	const sentences = [];
	const { error, requests, seen } = await followed(
		t,
		{ [PATH]: [events(step(0)), dead] },
		{ notify: (sentence) => sentences.push(sentence) },
	);
	assert.deepEqual([error.status, seen], [0, [0]]);
	assert.ok(error.message && error.remedy);
	const pauses = requests.slice(1).map(({ at }, i) => at - requests[i].at);
	assert.deepEqual(pauses, [500, 1000, 2000, 4000, 8000, 8000]);
	assert.equal(sentences.length, 6);
});

test("a stream that is cut before each of its events is tried six times too", async (t) => {
	const { error, requests } = await followed(t, { [PATH]: [events()] });
	assert.equal(error.status, 0);
	assert.equal(requests.length, 7);
});

test("a server that still counts the cut stream is asked again", async (t) => {
	const { seen } = await followed(t, {
		[PATH]: [broken(step(0)), problem(429), events(step(1), end)],
	});
	assert.deepEqual(seen, [0, 1]);
});

test("a server that starts again is waited for", async (t) => {
	const polls = [json({ worker: "warming" }, 503), json({ ready: true })];
	const { seen } = await followed(t, {
		[PATH]: [broken(step(0)), problem(503), events(step(1), end)],
		"/readyz": polls,
	});
	assert.deepEqual(seen, [0, 1]);
});

test("what refuses the stream ends it", async (t) => {
	const { error, requests } = await followed(t, { [PATH]: [broken(step(0)), problem(404)] });
	assert.deepEqual([error.status, requests.length], [404, 2]);
});

test("a stream that ends in a problem throws it", async (t) => {
	const refused = { status: 507, detail: "The disk is full.", errors: [{ hint: "Make room." }] };
	const { error, seen, requests } = await followed(t, {
		[PATH]: [events(step(0), ["problem", refused])],
	});
	assert.deepEqual(
		[error.status, error.message, error.remedy, seen],
		[507, "The disk is full.", "Make room.", [0]],
	);
	assert.equal(requests.length, 1);
});

test("an answer that is no stream is not read as one", async (t) => {
	const { error, seen } = await followed(t, { [PATH]: [json({ step: 0 })] });
	assert.deepEqual([error.status, seen], [406, []]);
});

test("a training is begun by POST with numbers, and resumed by GET", async (t) => {
	stopTheClock(t);
	const path = "/api/v1/warmup events";
	const requests = serve(t, { [path]: [broken(step(0), step(1)), events(step(2), end)] });
	const question = { warmup_steps: 20, peak: 0.03, steps: 200 };
	const { error } = await passing(t, stream("warmup", question, { begin: true, onStep() {} }));
	assert.equal(error, undefined);
	const [begun, resumed] = requests;
	assert.deepEqual([begun.method, begun.address, begun.body], ["POST", "/api/v1/warmup", question]);
	assert.equal(begun.headers["Content-Type"], "application/json");
	assert.deepEqual(
		[resumed.method, resumed.address],
		["GET", "/api/v1/warmup?warmup_steps=20&peak=0.03&steps=200"],
	);
	assert.deepEqual([resumed.body, resumed.headers["Last-Event-ID"]], [undefined, "1"]);
});

test("who stops following is told nothing more, and nothing is asked any more", async (t) => {
	stopTheClock(t);
	const told = open();
	const requests = serve(t, { [PATH]: [told.reply, never] });
	const reader = new AbortController();
	const seen = [];
	const onStep = ({ step }) => (seen.push(step), step === 1 && reader.abort());
	const following = stream("generate", { source: "a b" }, { signal: reader.signal, onStep });
	const ended = assert.rejects(following, { name: "AbortError" });
	await turns();
	told.say(step(0), step(1), step(2));
	await ended;
	await pass(t, 10_000);
	assert.deepEqual([seen, requests.length], [[0, 1], 1]);
});
