// The page of detection: shapes are moved about, and every query says what is where; one query's
// boxes by layer, and where it looks.

import { $, byId } from "../common.js";
import { figures, valueAt } from "../figures/show.js";
import { card } from "../state.js";
import { MOST, moved, shapeAt, writeScene } from "../scenes.js";
import { drawn } from "./drawn.js";

export default function visit() {
	const FAR = 4; // pixels: nearer, it is a click
	const OFTEN = 80; // milliseconds between two questions while a shape is on its way
	const { image_side: side } = card.config;

	/** @type {HTMLElement} */
	const stage = $("#found .stage");

	/** @type {{answer: any, page: Page} | undefined} what is drawn, for those who point at it */
	let now;
	/** @type {Grasped | undefined} the shape under the pointer that is down */
	let held;

	drawn({
		onDraw(_, page, answer) {
			now = { answer, page };
			if (held) held.waits = false;
			byId("add").disabled = scene().length >= MOST;
			byId("less").disabled = scene().length <= 1;
		},
	});

	const told = () => now?.answer.figures.found.layout.meta ?? {};
	/** @returns {Scene} */
	const scene = () => told().scene ?? [];

	/** @param {Scene} shapes @param {boolean} [push] */
	const put = (shapes, push = true) => now?.page.set({ image: writeScene(shapes) }, { push });

	/** Where a pointer is, zoomed or not, as shares of the picture. @param {PointerEvent} event */
	function share(event) {
		const { x, y } = valueAt(stage, event);
		return { x: (x - 0.5) / side, y: (y - 0.5) / side };
	}

	/** A shape that is grasped is held; beside them a drag zooms. @param {PointerEvent} event */
	function grasp(event) {
		held = undefined;
		if (!figures.has(stage) || event.button) return;
		const { x, y } = share(event);
		const index = shapeAt(scene(), x, y);
		if (index < 0) return;
		const { clientX, clientY, timeStamp: asked } = event;
		const [dx, dy] = [scene()[index].x - x, scene()[index].y - y];
		const yet = { moves: false, waits: false, pushed: false };
		held = { index, x: clientX, y: clientY, dx, dy, asked, ...yet };
		stage.setPointerCapture(event.pointerId);
	}

	/** The next question waits for the answer to the last. @param {PointerEvent} event */
	function carry(event) {
		if (!held || !event.buttons) return;
		held.moves ||= Math.hypot(event.clientX - held.x, event.clientY - held.y) >= FAR;
		if (!held.moves || held.waits || event.timeStamp - held.asked < OFTEN) return;
		Object.assign(held, { asked: event.timeStamp, waits: true });
		drag(event);
	}

	/** @param {PointerEvent} event */
	function drop(event) {
		if (held?.moves) drag(event);
		else if (held) choose(event);
		held = undefined;
	}

	/** The shape that is held goes along; all its way is one entry. @param {PointerEvent} event */
	function drag(event) {
		if (!held) return;
		const { x, y } = share(event);
		const { href } = location;
		put(moved(scene(), held.index, x + held.dx, y + held.dy), !held.pushed);
		held.pushed ||= location.href !== href;
	}

	/** A shape that did not move was clicked: its box chooses. @param {PointerEvent} event */
	function choose(event) {
		const { x, y } = share(event);
		/** @type {any[]} */
		const traces = now?.answer.figures.found.data ?? [];
		const picture = traces.find(({ type }) => type === "image");
		const query = picture?.meta.pick.query[Math.floor(y * side)]?.[Math.floor(x * side)];
		if (query !== undefined) now?.page.set({ query: String(query) });
	}

	stage.addEventListener("pointerdown", grasp, { capture: true });
	stage.onpointermove = carry;
	stage.onpointerup = stage.onpointercancel = drop;
	for (const zoom of ["mousedown", "touchstart"]) {
		stage.addEventListener(zoom, (event) => held && event.stopPropagation(), { capture: true });
	}

	byId("add").onchange = () => {
		const [colour, kind] = byId("add").value.split(" ");
		byId("add").value = "";
		if (kind) put([...scene(), { kind, colour, ...told().room }]);
	};
	byId("less").onclick = () => put(scene().slice(0, -1));
}
