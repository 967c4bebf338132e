// One figure as a page of its own, for a frame: it came with the page, and fills it.

import { by, one } from "./common.js";
import { show } from "./figures/show.js";

const stage = one(".stage");
const served = JSON.parse(by("figure").textContent);

function draw() {
	show(stage, served, () => {});
	stage.removeAttribute("aria-busy");
	document.body.dataset.state = "drawn";
}

new ResizeObserver(() => requestAnimationFrame(draw)).observe(stage);
