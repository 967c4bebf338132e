// A request and its response, or why there is none, in a sentence.

export const TOO_SLOW = 504;

/** A refusal or a failure: `message` says what happened, `remedy` what to do. */
export class ApiError extends Error {
	/** @param {Refusal} problem */
	constructor({ status, detail, errors = [], retryAfter = 0 }) {
		super(detail);
		this.status = status;
		this.retryAfter = retryAfter;
		this.errors = errors;
		this.fields = errors.map((error) => String(error.pointer ?? "").replace(/^[#/]+/, ""));
		const usual = REMEDIES[status] ?? REMEDIES[Math.floor(status / 100)] ?? "";
		const hint = hints(status, errors);
		this.remedy = hint && detail.includes(hint) ? "" : hint || usual;
	}
}

/**
 * The first hint; all of them where each names another number to lower.
 * @param {number} status @param {any[]} errors
 */
function hints(status, errors) {
	const all = [...new Set(errors.map((error) => error.hint).filter(Boolean))];
	return status === TOO_SLOW ? all.join(" ") : all[0];
}

/** @type {Record<number, string>} */
const REMEDIES = {
	0: "Start it again with `make run`; this page goes on by itself when something changes.",
	404: "Choose another from the list.",
	422: "Change the marked field.",
	429: "Wait a moment, then go on.",
	503: "Wait a moment, then try again.",
	[TOO_SLOW]: "Choose smaller numbers, or try again in a minute: the server goes on computing.",
	5: "Try again; if it happens again, the server’s log has the details.",
};

/** @param {Response} response */
async function problem(response) {
	const retryAfter = Number(response.headers.get("Retry-After")) || 0;
	const body = await response.json().catch(() => null);
	const detail = body?.detail || body?.title || `The server answered ${response.status}.`;
	return new ApiError({ status: response.status, detail, errors: body?.errors, retryAfter });
}

/** @param {string} address @param {RequestInit} options */
export async function once(address, options) {
	const response = await fetch(address, options).catch((error) => {
		if (error.name === "AbortError") throw error;
		throw new ApiError({ status: 0, detail: "The server does not answer." });
	});
	if (!response.ok) throw await problem(response);
	return response;
}

/**
 * Runs a request, and again as long as the answer is "not yet".
 * @param {() => Promise<Response>} request @param {Options} options
 */
export const patiently = (request, options) =>
	request().catch(async (error) => {
		if (error.status !== 503) throw error;
		const { again } = await import("./readiness.js").catch(() => Promise.reject(error));
		return again(request, error, options, ApiError);
	});
