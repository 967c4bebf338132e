// The windows of a lecture show what their room tells. The projector and the presenter lead it.

import { rooted } from "../address.js";
import { $$, byId, isChord } from "../common.js";
import { posted, stream } from "../events.js";
import { once } from "../http.js";
import { intent } from "../keys.js";
import { wait } from "../wait.js";
import { bars, windows } from "./windows.js";
import { say } from "../words.js";

const PAUSE = 80; // ms
const { dataset } = document.body;
const { talk, code } = dataset;
const kept = `lecture ${talk}`;
const [lost, follow, ...choose] = talk ? [] : $$("button");
const show = windows(byId("windows"), follow ? {} : { present: "1" }, talk ? lead : undefined);
let [state, latest] = /** @type {LectureState[]} */ ([{}, {}]);
/** @type {Open[]} */ let [room, unsent] = [{ code }, {}];
let sending = false;

async function post(word = "", question = {}) {
	const { address, ...request } = posted(word, question);
	return (await once(address, request)).json();
}

function showTrouble({ message = "" }) {
	for (const one of $$("[data-told=trouble]")) one.textContent = message;
}

async function lead(changes = {}) {
	unsent = { ...unsent, ...changes };
	if (sending) return;
	sending = true;
	for (; Object.keys(unsent).length; await wait(PAUSE)) {
		const question = { ...room, ...unsent };
		unsent = {};
		await post("rooms", question).catch(showTrouble); // by hand again
	}
	sending = false;
}

const step = (by = 1) => lead({ step: (unsent.step ?? 0) + by });

/** A vote, or none; then this device's own. */
async function vote(changes = {}) {
	const own = await post("room-votes", { code, ...changes }).catch(showTrouble);
	if (!own) return;
	choose.forEach((one, i) => (one.ariaPressed = `${own.choice === i}`));
	lost.ariaPressed = `${own.lost}`;
}

/** @param {LectureState} next */
function draw(next) {
	latest = next;
	if (follow?.ariaPressed === "false") return;
	const { scene, phase, choices, right } = next;
	const moves = scene !== state.scene || phase !== state.phase;
	state = next;
	Object.assign(dataset, { phase, scene });
	for (const one of $$("[data-of]")) one.hidden = one.dataset.of !== `${scene}`;
	for (const one of $$("[data-told]")) one.textContent = state[one.dataset.told] ?? "";
	choose.forEach((one, i) => {
		one.textContent = choices[i];
		one.disabled = phase === 2;
		one.parentElement.hidden = !choices[i];
		one.parentElement.className = choices[i] === right ? "right" : "";
	});
	for (const list of $$(".votes:not([hidden])")) bars(list, state.votes);
	if (moves && !talk) vote();
	show(state);
}

function tick() {
	const gone = new Date(state.begun ? Date.now() - 1000 * state.begun : 0);
	byId("clock").value = gone.toISOString().slice(11, 19);
}

async function enter() {
	if (!localStorage[kept]) {
		const { room: opened, token } = await post("rooms", { talk });
		localStorage[kept] ||= JSON.stringify({ code: opened.code, token });
	}
	room = JSON.parse(localStorage[kept]);
	const address = rooted(`/room/${room.code}`);
	byId("link").value = location.host + address;
	if (byId("qr")) byId("qr").src = `${address}/qr.svg`;
}

if (talk)
	document.addEventListener("keydown", (event) => {
		const [what, by] = intent(event.key) ?? [];
		if (isChord(event) || what !== "step") return;
		event.preventDefault();
		step(by);
	});
for (const button of $$("[data-step]")) button.onclick = () => step(+button.dataset.step);
if (byId("clock")) setInterval(tick, 1000);
choose.forEach((one, choice) => (one.onclick = () => vote({ choice })));
if (lost) lost.onclick = () => vote({ lost: lost.ariaPressed !== "true" });
if (follow)
	follow.onclick = () => {
		follow.ariaPressed = `${follow.ariaPressed !== "true"}`;
		draw(latest);
	};
for (let open = true; open; await wait(1000)) {
	const why = await (talk ? enter() : wait(0))
		.then(() => stream("rooms", room, { onStep: draw, begin: true, again: true }))
		.catch((error) => error);
	open = talk || (why && why.status !== 404);
	if (!why || [403, 404].includes(why.status)) delete localStorage[kept];
	showTrouble(why ?? { message: say("The room is closed.") });
}
