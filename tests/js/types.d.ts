// What the modules of static/js hand each other: the state of a page, questions and answers, figures.

/** What the address says. */
type State = Record<string, string>;
type Question = Record<string, string | number | boolean | string[] | null | undefined>;
/** Why a page could not do what was asked, and what to do. */
type Reason = Error & { remedy?: string; fields?: string[] };
type Options = {
	signal?: AbortSignal;
	notify?: (sentence: string) => void;
	/** Whoever asks follows an answer that is too slow. */
	followed?: boolean;
};
/** Parts that are done; empty while not known. */
type Progress = { done?: number; of?: number };
type Cancellable = Options & { cancel: (why: Reason) => void };
type How = (word: string, question: Question, options: Cancellable) => Promise<any>;
/** Asks plainly, or so. */
type Ask = (word: string, question?: Question, how?: How) => Promise<any>;

type Example = { id: string; input: State; look_for?: string };
/** Of the model that a page is about. */
type Card = {
	id: string;
	family: string;
	config: any;
	examples: Example[];
	weights_sha256: string;
} & Record<string, any>;
/** What a view may do besides drawing. */
type Page = {
	state: State;
	set: (changes: State, options?: { push?: boolean }) => void;
	about: (model: string) => string;
	options: (
		name: string,
		choices: (string | { value: string | number; label: string })[],
		drawn?: string,
	) => void;
	refresh: () => void;
	shows: (drawn: Question) => void;
	announce: (sentence: string) => void;
	example: () => Example | undefined;
};
type View = {
	load: (state: State, ask: Ask) => Promise<any>;
	draw: (answer: any, state: State, page: Page) => void;
	keys?: Record<string, (by: number) => void>;
};

/** A token that the model would say. */
type Guess = { token: string; probability: number };
/** [step][position], guesses by rank; `rest` is what all others have together. */
type Lens = { guesses: Guess[][][]; rest: number[][] };
/** A step of the training of several networks, as the stream tells it. */
type Trained = {
	step: number;
	/** by arm, */
	rate: number[];
	/** by arm and seed, */
	loss: number[][];
	/** by arm, over the seeds. */
	mean: number[];
};

/** `head` is one longer than the values of a row: the first cell of each row names it. */
type Table = { caption: string; head: string[]; rows: (string | number | null)[][] };
/** What a view hands over with a figure: everything but the stage is told by data. */
type Shown = {
	stage?: HTMLElement;
	/** A figure as the API serves it, */
	plotly?: Figure;
	/** what a click on one of its points asks for, */
	pick?: (changes: State) => void;
	/** who is told of a point that is pointed at, */
	point?: (place: Place) => void;
	/** and of a click on one. */
	enter?: (place: Place) => void;
	/** Pixels at the bottom of the stage that are kept free, for a line of words. */
	below?: number;
	/** An SVG element that the view has put into the page. */
	drawing?: Element;
	/** The same numbers as text, or what makes it. */
	table?: Table | (() => Promise<Table>);
	/** The word and the question that return the figure or the drawing, */
	drawn?: [string, Question];
	/** and those that return its numbers. */
	call: [string, Question];
	/** The answer itself, for JSON and the caption. */
	answer: any;
	kind?: string;
	shape?: string;
};

type Finding = {
	name: string;
	kind: string;
	value?: number;
	mean?: number;
	interval?: [number, number];
	seeds?: number;
	unit: string;
	law: string;
	band: [number | null, number | null];
	holds: boolean | null;
	verdict: string;
};

type Palette = {
	fonts: { sans: string; serif: string; mono: string };
	heads: string[];
	cividis: string[];
	signed: string[];
	tick: number;
	text: number;
} & Record<string, any>;
