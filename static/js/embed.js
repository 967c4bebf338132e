// A page in a frame: its link to the whole page goes to what is shown at the moment.

const link = /** @type {HTMLAnchorElement} */ (document.querySelector("a.whole"));

function follow() {
	const fields = new URLSearchParams(location.search);
	for (const name of ["embed", "theme"]) fields.delete(name);
	link.search = String(fields);
}

for (const event of ["pointerdown", "focus"]) link.addEventListener(event, follow);
follow();
