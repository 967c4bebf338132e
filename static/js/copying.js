// What a figure is taken along as: a link to the page, lines of Python, a frame for another page.

import { apiAddress, query } from "./address.js";
import { byId, make } from "./common.js";
import { get } from "./state.js";
import { announce } from "./status.js";

/** @param {[string, Question]} asked */
const address = (asked) => location.origin + apiAddress(...asked);

/** This page as it is now. @param {State} [more] */
const link = (more) => new URL(query({ ...get(), ...more }), location.href).href;

const AROUND = 80; // pixels of a frame that its title and its foot take

/** A frame as large as the picture is here. @param {Shown} what */
function frame({ drawn, plotly, stage }) {
	const { clientWidth: width, clientHeight } = /** @type {HTMLElement} */ (stage);
	const src = plotly && drawn ? address(drawn) : link({ embed: "1" });
	const height = clientHeight + AROUND;
	const { title } = plotly?.layout.meta ?? document;
	return make("iframe", { src, width, height, title, loading: "lazy", style: "border: 0" })
		.outerHTML;
}

/** @type {Record<string, (what: Shown) => string>} */
const TEXTS = {
	iframe: frame,
	link: () => link(),
	python({ call, drawn, plotly }) {
		const [numbers, figure] = byId("python").content.children;
		const told = numbers.textContent.replace("ADDRESS", address(call));
		return told + (plotly && drawn ? figure.textContent.replace("ADDRESS", address(drawn)) : "");
	},
};

/**
 * Copies, and shows what in the menu that was asked. Over http a browser has no clipboard: what is
 * shown is selected.
 * @param {string} name @param {Shown} what @param {HTMLElement} menu
 */
export async function copy(name, what, menu) {
	const box = byId("copied");
	const [said, text] = box.children;
	const { clipboard } = navigator;
	menu.append(box);
	box.hidden = false;
	text.value = TEXTS[name](what);
	text.select();
	await clipboard?.writeText(text.value);
	said.textContent = said.dataset[clipboard ? name : "selected"];
	announce(said.textContent);
}
