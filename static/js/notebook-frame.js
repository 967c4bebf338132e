// A figure in the frame of a notebook. When the notebook turns light or dark, it is drawn again in
// the other colours.

import "./framed.js";
import { figures, show } from "./figures/show.js";

function redraw() {
	for (const [stage, { served, pick }] of figures) show(stage, served, pick);
}

new MutationObserver(redraw).observe(document.documentElement, { attributeFilter: ["data-theme"] });
