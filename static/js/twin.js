// A second input beside the first: the same page in a frame, at the same address but for the input.

import { query, state } from "./address.js";
import { by } from "./common.js";

/** @param {AbortSignal} signal ends with the visit */
export default function visit(signal) {
	const frame = by("twin");
	const follow = () => {
		const { beside, target, ...same } = state(location.search);
		frame.hidden = !beside;
		const asked = { ...same, [frame.dataset.reads]: beside, embed: "1" };
		const address = location.pathname + query(asked);
		if (frame.hidden || frame.dataset.shows === address) return;
		frame.dataset.shows = address;
		frame.contentWindow.location.replace(address);
	};
	document.addEventListener("follow", follow, { signal });
}
