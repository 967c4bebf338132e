// A page in a frame: its link to the whole page goes to what is shown at the moment.

function update() {
	const fields = new URLSearchParams(location.search);
	for (const name of ["embed", "theme"]) fields.delete(name);
	/** @type {HTMLAnchorElement} */ (document.querySelector("a.whole")).search = String(fields);
}

document.addEventListener("statechange", update);
update();
