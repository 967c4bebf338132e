// A whole number out of an address, where anything can stand: kept within bounds, the lower one for what is no number.

/** @param {string | undefined} text @param {number} low @param {number} high */
export const whole = (text, low, high) => Math.max(low, Math.min(high, Math.round(Number(text)) || low));
