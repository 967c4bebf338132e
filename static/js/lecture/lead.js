// The two windows of whoever gives a talk: the projector's and the presenter's. What is done in one
// is seen in the other, and by a room if one is open.

import { rooted } from "../address.js";
import { $$, byId, isChord, within } from "../common.js";
import { posted, stream } from "../events.js";
import { once } from "../http.js";
import { intent } from "../keys.js";
import { wait } from "../wait.js";
import { bars } from "./votes.js";
import { windows } from "./windows.js";

const PAUSE = 80; // ms within which changes go to the room together
const OWN = 1000; // ms after an act of this browser in which the room's echo is older
const talk = JSON.parse(byId("talk").textContent);
const KEPT = `lecture ${talk.id}`;
const channel = new BroadcastChannel(KEPT);
const presents = { embed: "1", present: "1" };

/** @type {Open} */ let now = { scene: -1, reached: {}, pointer: null, zoom: {}, address: "" };
/** @type {Open | null} */ let room = null;
/** @type {Open} what the room tells its lecturer */ let told = {};
/** @type {Open} */ let unsent = {};
let [sending, acted] = [false, 0];

const frames = windows(byId("windows"), presents, (changes) => lead(changes));
const phaseOf = (/** @type {number} */ scene) =>
	talk.scene[scene]?.question ? (now.reached[scene] ?? 0) : 2;

/** @param {Open} changes */
function lead(changes) {
	now = { ...now, ...changes };
	if (now.scene >= 0) now.begun ??= Date.now();
	acted = Date.now();
	channel.postMessage({ now, room });
	sessionStorage[KEPT] = JSON.stringify(now);
	const { reached, begun, ...asked } = changes;
	if (room) send(reached ? { ...asked, phase: phaseOf(now.scene) } : asked);
	draw();
}

/** @param {Open} changes */
async function send(changes) {
	unsent = { ...unsent, ...changes };
	if (sending) return;
	sending = true;
	while (room && Object.keys(unsent).length) {
		const { address, ...asked } = posted("rooms", { ...room, ...unsent });
		const tried = unsent;
		unsent = {};
		await once(address, asked).catch(({ status }) => {
			if (status !== 422) unsent = { ...tried, ...unsent };
			return wait(500);
		});
		await wait(PAUSE);
	}
	sending = false;
}

/** On with the question of this scene, or to another scene. @param {number} by */
function step(by) {
	const { scene, reached } = now;
	const phase = phaseOf(scene);
	if (by > 0 && phase < 2) return lead({ reached: { ...reached, [scene]: phase + 1 } });
	const to = within(-1, talk.scene.length - 1, scene + by);
	if (to === scene) return;
	const address = talk.scene[to]?.address ?? "";
	lead({ scene: to, address, pointer: null, zoom: {} });
}

/** @param {string} id @param {string} said */
const say = (id, said) => byId(id) && (byId(id).textContent = said);

function draw() {
	const { scene, address, begun } = now;
	const [one, next] = [talk.scene[scene], talk.scene[scene + 1]];
	const phase = phaseOf(scene);
	Object.assign(document.body.dataset, { phase, scene, room: room?.code ?? "" });
	say("sentence", (phase < 2 ? one?.question : one?.claim) ?? talk.title);
	const { name, value, unit = "" } = one?.number ?? {};
	say("number", name && phase === 2 ? `${name}: ${value} ${unit}` : "");
	say("speech", one?.speech ?? "");
	say("next", next ? next.claim : "The end.");
	const live = byId("speech") || phase === 2;
	const none = (one?.choices ?? []).map(() => 0);
	const votes = told.scene === scene ? told.votes : null;
	bars(
		byId("bars"),
		one?.choices ?? [],
		live ? votes : [none.slice(0, 0)],
		phase === 2 ? one?.right : "",
	);
	const sum = (votes ?? []).map((/** @type {number[]} */ each) => each.reduce((a, b) => a + b, 0));
	say("count", votes && phase < 2 ? `votes: ${sum[phase]}` : "");
	say("follow", room ? `${told.followers ?? 0} follow, ${told.lost ?? 0} lost` : "");
	const link = room && rooted(`/room/${room.code}`);
	say("link", link ? location.host + link : "");
	say("code", room?.code ?? "");
	if (link && byId("qr") && !byId("qr").src.includes(link)) byId("qr").src = `${link}/qr.svg`;
	if (byId("open")) byId("open").hidden = Boolean(room);
	frames.follow({ ...now, address, next: next?.address });
	clock(begun);
}

/** @param {number} [begun] */
function clock(begun) {
	const due = talk.scene
		.slice(0, now.scene + 1)
		.reduce((/** @type {number} */ sum, /** @type {Open} */ { minutes }) => sum + minutes, 0);
	const gone = begun ? (Date.now() - begun) / 1000 : 0;
	const seconds = String(Math.floor(gone % 60)).padStart(2, "0");
	say(
		"clock",
		`${Math.floor(gone / 60)}:${seconds} of ${talk.minutes} min, this scene until ${due} min`,
	);
}

/** Follows the room for as long as it is there. */
async function join() {
	localStorage[KEPT] = JSON.stringify(room);
	const own = room;
	while (room === own && own) {
		try {
			await stream("rooms", own, { onStep: heard, begin: true, again: true });
			room = null;
		} catch (/** @type {any} */ { status }) {
			if ([403, 404].includes(status)) room = null;
			else await wait(1000);
		}
	}
	if (!room) delete localStorage[KEPT];
	draw();
}

/** @param {Open} state of the room */
function heard(state) {
	told = state;
	const { scene, phase, address, pointer, zoom } = state;
	if (!sending && Date.now() - acted > OWN)
		now = { ...now, scene, address, pointer, zoom, reached: { ...now.reached, [scene]: phase } };
	draw();
}

async function open() {
	const { address, ...asked } = posted("rooms", { talk: talk.id });
	const answer = await (await once(address, asked)).json();
	room = { code: answer.room.code, token: answer.token };
	lead(now.address ? now : {});
	join();
}

channel.onmessage = ({ data }) => {
	if (data.asks) return channel.postMessage({ now, room });
	const joins = data.room?.code !== room?.code;
	({ now, room } = data);
	acted = Date.now();
	if (joins) join();
	draw();
};
document.addEventListener("keydown", (event) => {
	if (isChord(event) || /** @type {Element} */ (event.target).matches("input, button, a")) return;
	const [what, by] = intent(event.key) ?? [];
	if (what === "step" || what === "play") step(by ?? 1);
});
for (const button of $$("[data-step]")) button.onclick = () => step(Number(button.dataset.step));
if (byId("open")) byId("open").onclick = open;
if (byId("clock")) setInterval(() => clock(now.begun), 1000);
now = JSON.parse(sessionStorage[KEPT] ?? "null") ?? now;
room = JSON.parse(localStorage[KEPT] ?? "null");
if (room) join();
channel.postMessage({ asks: true });
draw();
