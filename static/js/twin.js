// A second input beside the first: the page twice, in frames, at this address but for the input.

import { query, state } from "./address.js";
import { all } from "./common.js";

/** @param {AbortSignal} signal ends with the visit */
export default function visit(signal) {
	const frames = all(".twin");
	const follow = () => {
		const { beside, ...same } = state(location.search);
		for (const [i, frame] of frames.entries()) {
			const other = i ? { target: "", [frame.dataset.reads]: beside } : {};
			const address = location.pathname + query({ ...same, ...other, embed: "1" });
			frame.hidden = !beside;
			if (!beside || frame.dataset.shows === address) continue;
			frame.dataset.shows = address;
			frame.contentWindow.location.replace(address);
		}
	};
	document.addEventListener("follow", follow, { signal });
	follow();
}
