// Questions to the REST API, answers or an error in a sentence. This module and events.js alone talk to the network.

import { apiAddress } from "./address.js";

/** @typedef {import("./address.js").Question} Question */
/** @typedef {{kind: string, size: number, labels?: string[], ids?: number[]}} Axis */
/** @typedef {{axes: string[], shape: number[], dtype: string, formula: string, data: any}} Tensor */
/** @typedef {{model?: string, kind: string, input?: Record<string, string>, axes: Record<string, Axis>, tensors: Record<string, Tensor>} & Record<string, any>} Answer */
/** @typedef {{signal?: AbortSignal, notify?: (sentence: string) => void}} Options */

const KEPT = 64;
const TRIES = 6;
const POLL = 400;

/** @type {Map<string, any>} the latest answers: they never change, because a question names everything it depends on */
const kept = new Map();

/** A refusal or a failure: `message` says what happened, `remedy` what to do. */
export class ApiError extends Error {
  /** @param {{status: number, detail: string, errors?: any[], retryAfter?: number}} problem */
  constructor({ status, detail, errors = [], retryAfter = 0 }) {
    super(detail);
    this.status = status;
    this.retryAfter = retryAfter;
    this.fields = errors.map((error) => String(error.pointer ?? "").replace(/^[#/]+/, ""));
    this.remedy = errors.find((error) => error.hint)?.hint ?? REMEDIES[status] ?? REMEDIES[Math.floor(status / 100)] ?? "";
  }
}

/** @type {Record<number, string>} */
const REMEDIES = {
  0: "Is the server still running? The page tries again when something changes.",
  404: "Choose another from the list.",
  422: "Change the marked field.",
  429: "Wait a moment, then go on.",
  503: "Wait a moment, then try again.",
  5: "Try again; if it happens again, the server’s log has the details.",
};

/** @param {Response} response */
async function problem(response) {
  const retryAfter = Number(response.headers.get("Retry-After")) || 0;
  const body = await response.json().catch(() => null);
  const detail = body?.detail || body?.title || `The server answered ${response.status}.`;
  return new ApiError({ status: response.status, detail, errors: body?.errors, retryAfter });
}

/** @param {number} ms @param {AbortSignal} [signal] */
const wait = (ms, signal) =>
  new Promise((done, stop) => {
    const timer = setTimeout(done, ms);
    signal?.addEventListener("abort", () => (clearTimeout(timer), stop(signal.reason)), { once: true });
  });

/** @param {string} address @param {RequestInit} options */
export async function once(address, options) {
  const response = await fetch(address, options).catch((error) => {
    if (error.name === "AbortError") throw error;
    throw new ApiError({ status: 0, detail: "The server does not answer." });
  });
  if (!response.ok) throw await problem(response);
  return response;
}

/** Waits while the worker is warming; returns whether it had to. @param {Options} options */
async function warmed({ signal, notify }) {
  for (let waited = false; ; waited = true) {
    const ready = await fetch("/readyz", { signal, cache: "no-store" }).catch(() => null);
    if (ready?.ok) return waited;
    signal?.throwIfAborted();
    notify?.("The model is warming up; this page goes on by itself.");
    await wait(POLL, signal);
  }
}

/** Runs a request again as long as the answer is "not yet". @param {() => Promise<Response>} request @param {Options} options */
export async function patiently(request, options) {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await request();
    } catch (error) {
      const notYet = error instanceof ApiError && error.status === 503 && attempt < TRIES;
      if (!notYet) throw error;
      if (await warmed(options)) continue;
      options.notify?.("The server is busy; this page tries again by itself.");
      await wait(1000 * Math.min(Math.max(error.retryAfter, 0.5), 10), options.signal);
    }
  }
}

/**
 * Asks a question, for instance `ask("attention", {model: "translator", source: "i am cold", layer: 2})`. The latest answers are kept.
 * @param {string} word @param {Question} [question] @param {Options} [options]
 * @returns {Promise<any>}
 */
export async function ask(word, question = {}, options = {}) {
  const address = apiAddress(word, question);
  if (kept.has(address)) return kept.get(address);
  const headers = { Accept: "application/json" };
  const response = await patiently(() => once(address, { signal: options.signal, headers }), options);
  const answer = await response.json();
  kept.set(address, answer);
  if (kept.size > KEPT) kept.delete(/** @type {string} */ (kept.keys().next().value));
  return answer;
}
