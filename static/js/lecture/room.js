// A student's window: what the room shows, the question, and a way to let go and come back.

import { $$, byId, make } from "../common.js";
import { posted, stream } from "../events.js";
import { once } from "../http.js";
import { wait } from "../wait.js";
import { bars, windows } from "./windows.js";

const { code } = document.body.dataset;
const show = windows(byId("windows"), { embed: "1" });
let [room, follows] = [/** @type {LectureState} */ ({}), true];

/** A vote, or none; and what this device has voted. @param {Open} changes */
async function send(changes) {
	const { address, ...request } = posted("room-votes", { code, ...changes });
	const { choice, lost } = await (await once(address, request)).json();
	$$("button", byId("choices")).forEach((one, i) => (one.ariaPressed = `${choice === i}`));
	byId("lost").ariaPressed = `${lost}`;
}

/** @param {LectureState} next */
function draw(next) {
	const { phase, scene, sentence, choices, votes, right } = next;
	const moves = scene !== room.scene || phase !== room.phase;
	room = next;
	byId("status").textContent = "";
	byId("sentence").textContent = sentence;
	if (moves) {
		Object.assign(document.body.dataset, { phase, scene });
		const buttons = choices.map((textContent, choice) =>
			make("button", { textContent, className: "framed", onclick: () => send({ choice }) }),
		);
		byId("choices").replaceChildren(...(phase < 2 ? buttons : []));
		const rows = choices.map((textContent) => {
			const className = textContent === right ? "right" : "";
			return make("li", { className }, make("b", { textContent }));
		});
		byId("votes").replaceChildren(...(votes ? rows : []));
		bars(byId("votes"), votes ?? []);
		send({});
	}
	if (follows) show(room);
}

const { lost, follow } = Object.fromEntries($$("footer button").map((one) => [one.id, one]));
lost.onclick = () => send({ lost: lost.ariaPressed !== "true" });
follow.onclick = () => {
	follows = !follows;
	follow.textContent = follows ? "Let go" : "Follow again";
	draw(room);
};
for (let open = true; open; await wait(1000)) {
	const why = await stream("rooms", { code }, { onStep: draw }).catch((error) => error);
	byId("status").textContent = why?.message ?? "The room is closed.";
	open = why && why.status !== 404;
}
