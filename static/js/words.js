// What scripts say: English stands where it is said, and is the key of another language's words.

/** @type {Record<string, string> | undefined} none in a notebook and in tests */ let known;

/** @type {Say} */
export function say(english, values = {}) {
	known ??= JSON.parse(globalThis.document?.getElementById("words")?.textContent || "{}");
	return (known?.[english] ?? english).replace(/\{(\w+)\}/g, (_, name) => `${values[name]}`);
}

/** What answers say that is data too: kinds of numbers, confidence, what a switch does.
 * @type {Record<string, string>} */
const TOLD = {
	trained: say("trained"),
	yours: say("yours"),
	analytic: say("analytic"),
	"random initialization": say("random initialization"),
	constructed: say("constructed"),
	note: say("note"),
	sure: say("confident"),
	unsure: say("not confident"),
	"expect mistakes": say("expect mistakes"),
	"unlike its training": say("unlike its training data"),
	values: say("values"),
	colours: say("colors"),
	linear: say("linear"),
	log: say("log"),
	fitted: say("data range"),
	"0 to 1": say("0 to 1"),
	"Scale of the values": say("Scale of the values"),
	Colors: say("Colors"),
};

/** The same in the language of the page. */
export const told = (word = "") => TOLD[word] ?? word;
