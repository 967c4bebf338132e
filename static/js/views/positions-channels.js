// The channels that are drawn as curves: a list in the address, which anybody may write.

export const MOST_CHANNELS = 6;

/** "0,8,24" to numbers that exist, each once. @param {string} list @param {number} size */
export const parseChannels = (list, size) =>
	[...new Set(list.split(",").filter(Boolean).map(Number))]
		.filter((c) => Number.isInteger(c) && c >= 0 && c < size)
		.slice(0, MOST_CHANNELS);

/** Picks a channel or lets it go; the oldest leaves when there are too many. @param {number[]} channels @param {number} channel */
export const withChannel = (channels, channel) =>
	channels.includes(channel)
		? channels.filter((c) => c !== channel)
		: [...channels, channel].slice(-MOST_CHANNELS);
