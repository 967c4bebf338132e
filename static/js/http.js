// A request and its response, or why there is none, in a sentence.

import { say } from "./words.js";

export const TOO_SLOW = 504;

/** A refusal or a failure: `message` says what happened, `why` its reason, `remedy` what to do. */
export class ApiError extends Error {
	/** @param {Refusal} problem */
	constructor({ status, detail, why = "", errors = [], retryAfter = 0 }) {
		super(detail);
		this.why = why;
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
	0: say("Start it again; this page then continues automatically."),
	404: say("Choose another from the list."),
	422: say("Change the marked field."),
	429: say("Wait a moment, then continue."),
	503: say("Wait a moment, then try again."),
	[TOO_SLOW]: say(
		"Choose smaller numbers, or try again in a minute: the server is still computing.",
	),
	5: say("Try again. If the error persists, see the server’s log."),
};

/** @param {Response} response */
async function problem(response) {
	const retryAfter = Number(response.headers.get("Retry-After")) || 0;
	const body = await response.json().catch(() => null);
	const detail =
		body?.detail ||
		body?.title ||
		say("The server answered {status}.", { status: response.status });
	const { why, errors } = body ?? {};
	return new ApiError({ status: response.status, detail, why, errors, retryAfter });
}

/** @param {string} address @param {RequestInit} options */
export async function once(address, options) {
	const response = await fetch(address, options).catch((error) => {
		if (error.name === "AbortError") throw error;
		throw new ApiError({ status: 0, detail: say("The server doesn’t answer.") });
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
