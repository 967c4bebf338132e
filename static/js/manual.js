// The manual: each block of code has a button that copies it.

import { $, $$, make } from "./common.js";
import { say } from "./words.js";

/** Over http a browser has no clipboard: the code is selected. @param {Element} block */
async function copy(block) {
	const [code, button] = [$("code", block), $("button", block)];
	const { clipboard } = navigator;
	getSelection()?.selectAllChildren(code);
	await clipboard?.writeText(code.textContent);
	button.textContent = clipboard ? say("Copied") : say("Press Ctrl+C or ⌘C");
}

for (const block of $$(".manual .code")) {
	const button = make("button", { type: "button", className: "framed", textContent: say("Copy") });
	button.onclick = () => copy(block);
	block.append(button);
}
