// The overview: a sentence, its translation, and the model that made it, drawn with the shapes of
// this run. The server draws; here the drawing finds its room.

import { apiAddress, input } from "../address.js";
import { describe } from "../foot.js";
import { start } from "../page.js";

/** @typedef {Record<string, string>} State */

// What the API takes, in em.
const [NARROWEST, MOST] = [20, 400];

/** One visit of the page. */
export default function visit() {
	const by = (/** @type {string} */ id) => /** @type {HTMLElement} */ (document.getElementById(id));
	const frame = by("architecture");
	const stage = /** @type {HTMLElement} */ (frame.querySelector(".stage"));
	const root = getComputedStyle(document.documentElement);
	const type = getComputedStyle(stage);

	/** The size of the type, in CSS pixels. */
	const em = () =>
		Number.parseFloat(type.getPropertyValue("--size-tick")) * Number.parseFloat(root.fontSize);

	/**
	 * In quarters of an em, within what is drawn: rooms that are nearly alike have one drawing.
	 * @param {number} pixels @param {number} least
	 */
	const quarters = (pixels, least) =>
		Math.min(MOST, Math.max(least, Math.floor((4 * pixels) / em()) / 4));

	/** The room that there is, in em. */
	const room = () => ({
		width: quarters(stage.clientWidth, NARROWEST),
		height: quarters(stage.clientHeight, 0),
	});

	/** The room that the latest drawing was asked for. */
	let asked = room();

	const picture = (/** @type {State} */ state) => {
		const theme = document.documentElement.dataset.theme ?? "light";
		const address = apiAddress("architecture/drawing", { ...input(state), ...asked, theme });
		return { svg: async () => (await fetch(address)).text(), png: () => pixels(address) };
	};

	start({
		load(state, ask) {
			asked = room();
			return ask("architecture/drawing", { ...input(state), ...asked });
		},
		draw(answer, state, page) {
			const { least, fills } = answer;
			const { width, height } = room();
			const tall = (/** @type {number} */ given) => (fills ? Math.max(given, least) : 0);
			if (width !== asked.width || tall(height) !== tall(asked.height)) page.refresh();
			stage.style.minHeight = `${least * em()}px`;
			stage.querySelector("svg")?.remove();
			// As XML nothing in it can become a script.
			const parsed = new DOMParser().parseFromString(answer.svg, "image/svg+xml");
			stage.append(document.importNode(parsed.documentElement, true));
			describe(frame, stage, {
				picture: picture(state),
				table: answer.table,
				call: ["architecture", input(state)],
				answer,
				shape: answer.sum,
			});
			const { reads, writes } = answer;
			tell({ reads, writes, "look-for": page.example()?.look_for ?? "" });
		},
	});

	/** Says each in its place. @param {Record<string, string>} sentences */
	function tell(sentences) {
		for (const [id, said] of Object.entries(sentences)) {
			if (by(id).textContent !== said) by(id).textContent = said;
		}
	}
}

/** The drawing at twice its size. @param {string} address @returns {Promise<Blob>} */
async function pixels(address) {
	const image = Object.assign(new Image(), { src: address });
	await image.decode();
	const [width, height] = [2 * image.naturalWidth, 2 * image.naturalHeight];
	const canvas = Object.assign(document.createElement("canvas"), { width, height });
	canvas.getContext("2d")?.drawImage(image, 0, 0, width, height);
	return new Promise((done) => {
		canvas.toBlob((blob) => done(/** @type {Blob} */ (blob)), "image/png");
	});
}
