// A list of edits as an address has it.

/** The edits of an address; what is no list of them is one that can only be taken back. */
export function listed(edits = "") {
	try {
		return [JSON.parse(edits || "[]")].flat();
	} catch {
		return [null];
	}
}

/** The list after its edit `from` has gone to the place `to`. @param {any[]} edits */
export const moved = (edits, from = 0, to = 0) =>
	edits.toSpliced(from, 1).toSpliced(to, 0, edits[from]);

/** An order for the address, none where all stand as given. @param {string[]} places */
export const orderOf = (places) =>
	places.every((place, at) => at === Number(place)) ? "" : places.join();

/**
 * The edits with one that sets a cell, in the place of any other that sets it.
 * @param {string} before @param {CellEdit} edit
 */
export function withCell(before, edit) {
	const name = (/** @type {any} */ one) => JSON.stringify([one?.op, one?.at, one?.where]);
	return JSON.stringify([...listed(before).filter((one) => name(one) !== name(edit)), edit]);
}
