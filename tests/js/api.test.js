// What becomes of a question: answered, refused, too slow, or asked again while nobody is ready.

import assert from "node:assert/strict";
import { test } from "node:test";
import "../../static/js/events.js"; // else these two would be loaded while the clock stands
import "../../static/js/readiness.js";
import { ask } from "../../static/js/api.js";
import { ApiError, patiently } from "../../static/js/http.js";
import { wait } from "../../static/js/wait.js";
import {
	dead,
	events,
	json,
	never,
	pass,
	passing,
	problem,
	serve,
	stopTheClock,
	turns,
} from "./server.js";

const answer = { kind: "analytic", tensors: {}, axes: {} };
const warming = json({ ready: false, detail: "The model needs about 3 s more to load." }, 503);
const restarting = json({ ready: false, detail: "The worker is started again." }, 503);
const ready = json({ ready: true, worker: "ready" });

test("an answer is asked for once and kept", async (t) => {
	const requests = serve(t, { "/api/v1/kept": [json(answer)] });
	assert.deepEqual(await ask("kept", { depth: 3 }), answer);
	assert.deepEqual(await ask("kept", { depth: 3 }), answer);
	assert.deepEqual(
		requests.map(({ address }) => address),
		["/api/v1/kept?depth=3"],
	);
	await ask("kept", { depth: 4 });
	assert.equal(requests.length, 2);
});

test("a refusal says what happened, where, and what to do", () => {
	const errors = [
		{ pointer: "#/layer", hint: "Choose 0 to 2." },
		{ pointer: "#/head", hint: "Choose 0." },
	];
	const error = new ApiError({ status: 422, detail: "Layer 9 does not exist.", errors });
	assert.deepEqual(
		[error.message, error.fields, error.remedy],
		["Layer 9 does not exist.", ["layer", "head"], "Choose 0 to 2."],
	);
	for (const status of [0, 404, 422, 429, 500, 503, 504])
		assert.ok(new ApiError({ status, detail: "" }).remedy, `${status} has a remedy`);
});

test("what is too slow is followed to its end and then asked for again", async (t) => {
	const requests = serve(t, {
		"/api/v1/long": [problem(504), json(answer)],
		"/api/v1/long events": [events(["progress", { done: 300, of: 1000 }], ["end", {}])],
	});
	const sentences = [];
	assert.deepEqual(await ask("long", {}, { notify: (said) => sentences.push(said) }), answer);
	assert.equal(requests.length, 3);
	assert.match(sentences[0], /30%/);
});

test("what is too slow and cannot be followed is not asked again; hints are told", async (t) => {
	const errors = [
		{ pointer: "#/depth", hint: "Choose a depth below 64." },
		{ pointer: "#/seeds", hint: "Choose fewer seeds." },
	];
	const requests = serve(t, {
		"/api/v1/slow": [problem(504, { errors })],
		"/api/v1/slow events": [problem(429)],
	});
	const error = await ask("slow").catch((error) => error);
	assert.deepEqual(
		[error.status, error.message, error.fields],
		[504, "It is 504.", ["depth", "seeds"]],
	);
	assert.equal(error.remedy, "Choose a depth below 64. Choose fewer seeds.");
	assert.equal(requests.length, 2);
});

test("what is refused is not asked again", async (t) => {
	for (const status of [404, 422, 429, 500]) {
		const requests = serve(t, { [`/api/v1/no${status}`]: [problem(status)] });
		await assert.rejects(ask(`no${status}`), { status });
		assert.equal(requests.length, 1);
	}
});

test("a busy server is asked again after the time it names", async (t) => {
	stopTheClock(t);
	const busy = problem(503, {}, { "Retry-After": "2" });
	const requests = serve(t, { "/api/v1/busy": [busy, busy, json(answer)], "/readyz": [ready] });
	const sentences = [];
	const { value, after } = await passing(
		t,
		ask("busy", {}, { notify: (sentence) => sentences.push(sentence) }),
	);
	assert.deepEqual(value, answer);
	assert.equal(after, 4000);
	assert.equal(requests.filter(({ path }) => path === "/api/v1/busy").length, 3);
	assert.equal(sentences.length, 2);
});

test("a server that stays busy is asked six times", async (t) => {
	stopTheClock(t);
	const requests = serve(t, { "/api/v1/full": [problem(503)], "/readyz": [ready] });
	const { error } = await passing(t, ask("full"));
	assert.equal(error.status, 503);
	assert.equal(requests.filter(({ path }) => path === "/api/v1/full").length, 6);
});

test("a warm-up is waited for in growing steps, and the page says which it is", async (t) => {
	stopTheClock(t);
	const polls = [restarting, restarting, ...Array(6).fill(warming), ready];
	const requests = serve(t, { "/api/v1/warm": [problem(503), json(answer)], "/readyz": polls });
	const sentences = new Set();
	const { value } = await passing(
		t,
		ask("warm", {}, { notify: (sentence) => sentences.add(sentence) }),
	);
	assert.deepEqual(value, answer);
	const times = requests.filter(({ path }) => path === "/readyz").map(({ at }) => at);
	const pauses = times.slice(1).map((at, i) => at - times[i]);
	assert.deepEqual(pauses, [400, 800, 1600, 3000, 3000, 3000, 3000, 3000]);
	assert.equal(sentences.size, 2);
});

test("a server that no longer answers is not waited for", async (t) => {
	stopTheClock(t);
	const requests = serve(t, { "/api/v1/gone": [problem(503)], "/readyz": [dead] });
	const sentences = [];
	const { error, after } = await passing(
		t,
		ask("gone", {}, { notify: (sentence) => sentences.push(sentence) }),
	);
	assert.equal(error.status, 0);
	assert.match(error.remedy, /Start it again/);
	assert.equal(requests.filter(({ path }) => path === "/readyz").length, 5);
	assert.ok(after < 10_000, `${after} ms`);
	assert.deepEqual(sentences, [], "nothing is said to warm up");
});

test("polls that go unanswered now and then do not end the wait", async (t) => {
	stopTheClock(t);
	const polls = [dead, dead, dead, dead, warming, dead, dead, dead, dead, ready];
	serve(t, { "/api/v1/flaky": [problem(503), json(answer)], "/readyz": polls });
	assert.deepEqual((await passing(t, ask("flaky"))).value, answer);
});

test("a warm-up that never ends is waited for two minutes", async (t) => {
	stopTheClock(t);
	serve(t, { "/api/v1/cold": [problem(503)], "/readyz": [warming] });
	const { error, after } = await passing(t, ask("cold"));
	assert.equal(error.status, 503);
	assert.ok(after >= 120_000 && after <= 124_000, `${after} ms`);
});

test("warm-ups that follow each other are waited for two minutes altogether", async (t) => {
	stopTheClock(t);
	const one = [...Array(15).fill(warming), ready];
	serve(t, {
		"/api/v1/again": [problem(503)],
		"/readyz": [...one, ...one, ...one, ...one, ...one],
	});
	const { error, after } = await passing(t, ask("again"));
	assert.equal(error.status, 503);
	assert.ok(after < 124_000, `${after} ms`);
});

test("a server that is busy after a long warm-up is not waited for much longer", async (t) => {
	stopTheClock(t);
	const busy = problem(503, {}, { "Retry-After": "10" });
	serve(t, { "/api/v1/late": [busy], "/readyz": [...Array(38).fill(warming), ready] });
	const { error, after } = await passing(t, ask("late"));
	assert.equal(error.status, 503);
	assert.ok(after >= 110_000 && after <= 130_000, `${after} ms`);
});

test("a question that is taken back stops at once, wherever it is", async (t) => {
	stopTheClock(t);
	const replies = {
		asked: [never],
		polled: [problem(503)],
		waiting: [problem(503, {}, { "Retry-After": "9" })],
	};
	for (const [word, list] of Object.entries(replies)) {
		const polls = word === "polled" ? never : ready;
		const requests = serve(t, { [`/api/v1/${word}`]: list, "/readyz": [polls] });
		const reader = new AbortController();
		const asking = ask(word, {}, { signal: reader.signal });
		const ended = assert.rejects(asking, { name: "AbortError" }, word);
		await turns();
		reader.abort();
		await ended;
		const asked = requests.length;
		await pass(t, 20_000);
		assert.equal(requests.length, asked, `${word}: nothing is asked any more`);
	}
});

test("waiting for a signal that is aborted already does not wait", async () => {
	await assert.rejects(wait(60_000, AbortSignal.abort()), { name: "AbortError" });
});

test("a failure of our own is not retried", async () => {
	let runs = 0;
	await assert.rejects(
		patiently(() => ((runs += 1), Promise.reject(new TypeError("ours"))), {}),
		TypeError,
	);
	assert.equal(runs, 1);
});
