// The windows of whoever gives a talk, the projector's and the presenter's: both show what their
// room tells, and what is done in either is told to the room.

import { rooted } from "../address.js";
import { $, $$, byId, isChord } from "../common.js";
import { posted, stream } from "../events.js";
import { once } from "../http.js";
import { intent } from "../keys.js";
import { wait } from "../wait.js";
import { bars, windows } from "./windows.js";

const PAUSE = 80; // ms within which changes are sent together
const { talk } = document.body.dataset;
const KEPT = `lecture ${talk}`;
const show = windows(byId("windows"), { embed: "1", present: "1" }, lead);
/** @type {Open} */ let unsent = {};
let [sending, room, begun] = [false, /** @type {Open} */ ({}), 0];

/** @param {Open} question @returns {Promise<any>} */
async function post(question) {
	const { address, ...request } = posted("rooms", question);
	return (await once(address, request)).json();
}

/** @param {Open} changes */
async function lead(changes) {
	unsent = { ...unsent, ...changes };
	if (sending) return;
	sending = true;
	for (; Object.keys(unsent).length; await wait(PAUSE)) {
		const question = { ...room, ...unsent };
		unsent = {};
		await post(question).catch(() => {}); // what is lost with a server is done again by hand
	}
	sending = false;
}

const step = (by = 1) => lead({ step: (unsent.step ?? 0) + by });

/** @param {LectureState} state */
function draw(state) {
	const { scene, phase, votes } = state;
	begun = state.begun;
	Object.assign(document.body.dataset, { phase, scene });
	for (const one of $$("[data-of]")) one.hidden = one.dataset.of !== `${scene}`;
	for (const one of $$("output[name]")) one.value = state[one.name];
	const list = $(`.votes[data-of="${scene}"]`);
	if (list) bars(list, byId("clock") || phase === 2 ? votes : null);
	show(state);
}

function tick() {
	const gone = begun && Math.floor(Date.now() / 1000 - begun);
	byId("clock").value = `${Math.floor(gone / 60)}:${`${gone % 60}`.padStart(2, "0")}`;
}

document.addEventListener("keydown", (event) => {
	const [what, by] = intent(event.key) ?? [];
	if (isChord(event) || what !== "step") return;
	event.preventDefault();
	step(by);
});
for (const button of $$("[data-step]")) button.onclick = () => step(+button.dataset.step);
if (byId("clock")) setInterval(tick, 1000);
for (;;) {
	try {
		if (!localStorage[KEPT]) {
			const { room: opened, token } = await post({ talk });
			localStorage[KEPT] ||= JSON.stringify({ code: opened.code, token }); // of the first window
		}
		room = JSON.parse(localStorage[KEPT]);
		const address = rooted(`/room/${room.code}`);
		byId("link").value = location.host + address;
		if (byId("qr")) byId("qr").src = `${address}/qr.svg`;
		await stream("rooms", room, { onStep: draw, begin: true, again: true });
		delete localStorage[KEPT];
	} catch (/** @type {any} */ { status }) {
		if ([403, 404].includes(status)) delete localStorage[KEPT];
	}
	await wait(1000);
}
