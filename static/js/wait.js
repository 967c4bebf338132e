// Time that passes unless somebody leaves.

/**
 * Resolves after this time, or rejects as soon as the signal is aborted.
 * @param {number} ms @param {AbortSignal} [signal] @returns {Promise<void>}
 */
export const wait = (ms, signal) =>
	new Promise((done, stop) => {
		signal?.throwIfAborted();
		const leave = () => (clearTimeout(timer), stop(signal?.reason));
		const timer = setTimeout(() => (signal?.removeEventListener("abort", leave), done()), ms);
		signal?.addEventListener("abort", leave, { once: true });
	});
