// A student's window: what the room shows, the question, and a way to let go and come back.

import { ask } from "../api.js";
import { $$, byId, make } from "../common.js";
import { posted, stream } from "../events.js";
import { once } from "../http.js";
import { wait } from "../wait.js";
import { windows } from "./windows.js";
import { bars } from "./votes.js";

const { code } = document.body.dataset;
const frames = windows(byId("windows"), { embed: "1" });
/** @type {Open} */ let room = { choices: [] };
/** @type {Open} */ let own = {};
let follows = true;

/** @param {Open} changes */
async function send(changes) {
	const { address, ...asked } = posted("room-votes", { code, ...changes });
	own = await once(address, asked).then(
		(response) => response.json(),
		() => own,
	);
	say();
}

function say() {
	for (const [i, button] of $$("button", byId("choices")).entries())
		button.ariaPressed = `${own.choice === i}`;
	byId("lost").ariaPressed = `${Boolean(own.lost)}`;
	byId("follow").textContent = follows ? "Let go" : "Follow again";
}

/** @param {Open} next */
function draw(next) {
	if (next.scene !== room.scene || next.phase !== room.phase)
		own = { lost: next.scene === room.scene && own.lost };
	room = next;
	const { phase, scene, claim, asks, title, choices, votes, right } = room;
	Object.assign(document.body.dataset, { phase, scene });
	byId("sentence").textContent = claim ?? asks ?? title;
	bars(byId("bars"), choices, votes, right);
	const buttons = choices.map((/** @type {string} */ textContent, /** @type {number} */ choice) =>
		make("button", { textContent, className: "framed", onclick: () => send({ choice }) }),
	);
	byId("choices").replaceChildren(...(phase < 2 ? buttons : []));
	if (follows) frames.follow(room);
	say();
}

byId("lost").onclick = () => send({ lost: !own.lost });
byId("follow").onclick = () => {
	follows = !follows;
	draw(room);
};

async function follow() {
	const status = byId("status");
	for (;;) {
		try {
			await stream(
				"rooms",
				{ code },
				{ onStep: (next) => (draw(next), (status.textContent = "")) },
			);
			break;
		} catch (/** @type {any} */ { status: refused, message }) {
			status.textContent = message;
			if (refused === 404) return;
			await wait(1000);
		}
	}
	status.textContent = "The room is closed.";
}

ask("room-votes", { code }).then((known) => {
	own = known;
	say();
});
follow();
