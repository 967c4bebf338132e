// A question that is fast costs nothing more, and one that is slow is followed to its end.

import assert from "node:assert/strict";
import { test } from "node:test";
import "../../static/js/readiness.js"; // else it would be loaded while the clock stands
import { follow } from "../../static/js/following.js";
import {
	events,
	json,
	open,
	pass,
	passing,
	problem,
	serve,
	stopTheClock,
	turns,
} from "./server.js";

const answer = { kind: "analytic" };
const later = (reply, ms) => (request) =>
	new Promise((done) => setTimeout(() => done(reply(request)), ms));
const progress = (done, of = 4) => ["progress", { done, of }, done];

let word = 0;

/** Follows a question of its own against these replies, to the plain question and to the stream. */
function following(t, { plain, stream = [problem(503)], polls = [json({ ready: true })] }, signal) {
	stopTheClock(t);
	word += 1;
	const path = `/api/v1/w${word}`;
	const requests = serve(t, { [path]: plain, [`${path} events`]: stream, "/readyz": polls });
	const told = [];
	const asking = follow(`w${word}`, { depth: 4 }, { signal, onProgress: (how) => told.push(how) });
	const streams = () => requests.filter((request) => request.path.endsWith(" events"));
	const plainly = () => requests.filter((request) => request.path === path);
	return { asking, told, streams, plainly, requests };
}

test("an answer within 300 ms opens no stream", async (t) => {
	const { asking, told, requests } = following(t, { plain: [later(json(answer), 250)] });
	assert.deepEqual((await passing(t, asking)).value, answer);
	await pass(t, 2000);
	assert.deepEqual([told, requests.length], [[], 1]);
});

test("after 300 ms the computation is followed, until its answer is there", async (t) => {
	const stream = open();
	const { asking, told, streams } = following(t, {
		plain: [later(json(answer), 1000)],
		stream: [stream.reply],
	});
	await pass(t, 400);
	stream.say(progress(1));
	await turns();
	assert.deepEqual(told, [{}, { done: 1, of: 4 }]);
	assert.equal(streams()[0].signal.aborted, false);
	assert.deepEqual((await passing(t, asking)).value, answer);
	assert.equal(streams()[0].signal.aborted, true, "nobody follows what is answered");
	assert.equal(streams().length, 1);
});

test("a refused stream leaves the plain question alone", async (t) => {
	for (const refusal of [problem(429), problem(404), problem(503), json(answer)]) {
		const { asking } = following(t, { plain: [later(json(answer), 9000)], stream: [refusal] });
		assert.deepEqual((await passing(t, asking)).value, answer);
		t.mock.timers.reset();
	}
});

test("what is too slow is followed to its end and asked once more", async (t) => {
	const stream = open();
	const { asking, told, plainly } = following(t, {
		plain: [later(problem(504), 1000), json(answer)],
		stream: [stream.reply],
	});
	await pass(t, 400);
	stream.say(progress(1));
	await pass(t, 10_000);
	assert.equal(plainly().length, 1, "it is not asked blindly");
	stream.say(progress(4), ["end", {}]);
	assert.deepEqual((await passing(t, asking)).value, answer);
	assert.deepEqual(told, [{}, { done: 1, of: 4 }, { done: 4, of: 4 }]);
	assert.equal(plainly().length, 2);
});

test("what is too slow at once is followed as well", async (t) => {
	const { asking } = following(t, {
		plain: [problem(504), json(answer)],
		stream: [events(progress(4), ["end", {}])],
	});
	assert.deepEqual((await passing(t, asking)).value, answer);
});

test("what is too slow and cannot be followed says so, with its hints", async (t) => {
	const hints = { errors: [{ pointer: "#/depth", hint: "Choose a depth below 64." }] };
	const { asking, plainly } = following(t, {
		plain: [problem(504, hints)],
		stream: [problem(429)],
	});
	const { error } = await passing(t, asking);
	assert.deepEqual([error.status, error.remedy], [504, "Choose a depth below 64."]);
	assert.equal(plainly().length, 1);
});

test("a computation that fails while it is followed fails with its own words", async (t) => {
	const failure = { status: 500, detail: "The clinic has failed." };
	const { asking } = following(t, {
		plain: [problem(504)],
		stream: [events(progress(1), ["problem", failure])],
	});
	assert.equal((await passing(t, asking)).error.message, "The clinic has failed.");
});

test("who takes the question back ends both", async (t) => {
	const reader = new AbortController();
	const stream = open();
	const { asking, told, requests } = following(
		t,
		{ plain: [later(json(answer), 9000)], stream: [stream.reply] },
		reader.signal,
	);
	const ended = assert.rejects(asking, { name: "AbortError" });
	await pass(t, 500);
	reader.abort();
	await ended;
	assert.deepEqual(
		requests.map(({ signal }) => signal.aborted),
		[true, true],
	);
	await pass(t, 20_000);
	assert.equal(requests.length, 2);
	assert.deepEqual(told, [{}]);
});
