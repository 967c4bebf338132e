// A second input beside the first: the page twice, in frames, at this address but for the input.

import { query, state } from "./address.js";
import { $, $$ } from "./common.js";
import { subscribe } from "./state.js";

/** @param {AbortSignal} signal */
export function twin(signal) {
	const [frames, menu, field] = [$$(".twin"), $(".twin-field"), $("[name=another]")];
	const update = () => {
		const { another, ...same } = state(location.search);
		for (const [i, frame] of frames.entries()) {
			const other = i ? { target: "", [frame.dataset.reads]: another } : {};
			const address = location.pathname + query({ ...same, ...other, embed: "1" });
			frame.hidden = !another;
			if (!another || frame.dataset.shows === address) continue;
			frame.dataset.shows = address;
			frame.contentWindow.location.replace(address);
		}
	};
	$("button", menu).onclick = () => {
		field.value = "";
		field.dispatchEvent(new Event("change", { bubbles: true }));
	};
	subscribe(update, signal);
	update();
}
