// One figure as a page of its own, for a frame: it came with the page, and fills it.

import { show } from "./figures/show.js";

const stage = /** @type {HTMLElement} */ (document.querySelector(".stage"));
const served = JSON.parse(document.getElementById("figure")?.textContent ?? "");

function draw() {
	show(stage, served, () => {});
	stage.removeAttribute("aria-busy");
	document.body.dataset.state = "drawn";
}

new ResizeObserver(() => requestAnimationFrame(draw)).observe(stage);
