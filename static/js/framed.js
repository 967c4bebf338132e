// One figure as a page of its own, for a frame: it came with the page, and fills it.

import { $, byId } from "./common.js";
import { show } from "./figures/show.js";

const stage = $(".stage");
const served = JSON.parse(byId("figure").textContent);

function draw() {
	show(stage, served, () => {});
	stage.removeAttribute("aria-busy");
	document.body.dataset.state = "drawn";
}

new ResizeObserver(() => requestAnimationFrame(draw)).observe(stage);
