// A student's window: what the room shows, the question, and a way to let go and come back.

import { $$, byId } from "../common.js";
import { posted, stream } from "../events.js";
import { once } from "../http.js";
import { wait } from "../wait.js";
import { bars, windows } from "./windows.js";

const { dataset } = document.body;
const code = dataset.code;
const show = windows(byId("windows"), { embed: "1" });
const [lost, follow, ...choose] = $$("button");
let room = /** @type {LectureState} */ ({});

/** A vote, or none; and what this device has voted. @param {Open} changes */
async function send(changes) {
	const { address, ...request } = posted("room-votes", { code, ...changes });
	const own = await (await once(address, request)).json();
	choose.forEach((one, i) => (one.ariaPressed = `${own.choice === i}`));
	lost.ariaPressed = `${own.lost}`;
}

/** @param {LectureState} next */
function draw(next) {
	const { phase, scene, sentence, choices, votes, right } = next;
	const moves = scene !== room.scene || phase !== room.phase;
	room = next;
	Object.assign(dataset, { phase, scene });
	byId("status").textContent = "";
	byId("sentence").textContent = sentence;
	choose.forEach((one, i) => {
		one.textContent = choices[i];
		one.disabled = phase === 2;
		one.parentElement.hidden = !choices[i];
		one.parentElement.className = choices[i] === right ? "right" : "";
	});
	bars(byId("votes"), votes);
	if (moves) send({});
	if (follow.ariaPressed === "true") show(room);
}

choose.forEach((one, choice) => (one.onclick = () => send({ choice })));
lost.onclick = () => send({ lost: lost.ariaPressed !== "true" });
follow.onclick = () => {
	follow.ariaPressed = `${follow.ariaPressed !== "true"}`;
	draw(room);
};
for (let open = true; open; await wait(1000)) {
	const why = await stream("rooms", { code }, { onStep: draw }).catch((error) => error);
	byId("status").textContent = why?.message ?? "The room is closed.";
	open = why && why.status !== 404;
}
