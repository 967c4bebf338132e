// What the modules of static/js hand each other: the state of a page, questions and answers, figures.

type Timer = ReturnType<typeof setTimeout> | undefined;
/** What keys mean, each with a way to go. */
type Keys = Record<string, (by: number) => void>;
type Ink = CanvasRenderingContext2D;
type ApiErrorClass = typeof import("../../static/js/http.js").ApiError;

/** What the address says. */
type State = Record<string, string>;
type Question = Record<string, string | number | boolean | string[] | null | undefined>;
/** Why a page could not do what was asked, and what to do. */
type Reason = Error & { why?: string; remedy?: string; fields?: string[]; status?: number };
type Options = {
	signal?: AbortSignal;
	notify?: (sentence: string) => void;
	/** Waits for an answer that is too slow for a plain question. */
	late?: (error: any) => Promise<void>;
};
/** Parts that are done; empty while not known. */
type Progress = { done?: number; of?: number };
type Cancellable = Options & { cancel: (why: Reason) => void };
type How = (word: string, question: Question, options: Cancellable) => Promise<any>;
type Say = (english: string, values?: Record<string, unknown>) => string;
type Follow = (
	word: string,
	question: Question,
	options: Options & { onProgress: (progress: Progress) => void },
) => Promise<any>;
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
/** The address of a page about another model. The input goes along where that model reads its kind,
 * and an image where it is said alike; a sentence also from one field into the other. What that model
 * cannot read waits for one that can, and the page opens on the model's own. What is one model's
 * alone (`data-own`) stays behind. */
type About = (model: string) => string;
/** How page.js begins and ends a visit, and the modules that a document names as its own. */
type Visits = {
	begin: () => Promise<void>;
	leave: () => void;
	views: (on: Document) => Promise<((signal: AbortSignal) => void)[]>;
};
type View = {
	load: (state: State, ask: Ask) => Promise<any>;
	draw: (answer: any, state: State, page: Page) => void;
	keys?: Keys;
};

/** Asks again after `error`, as long as the answer is "not yet". */
type AskAgain = (
	request: () => Promise<Response>,
	error: any,
	options: Options,
	ApiError: ApiErrorClass,
) => Promise<Response>;
/** `element` is the `figure` of templates/_partials/figure.html. */
type ShowFigure = (element: HTMLElement, served: Figure, what: Omit<Shown, "plotly">) => void;
/** A figure of an answer: `of` is "positions/table", its numbers are asked with `asked`, and itself
 * with `part` besides. */
type ShowOne = (
	frame: HTMLElement,
	answer: any,
	of: string,
	asked: Question,
	how: Partial<Shown> & { part?: Question },
) => void;
/** For a visit with this signal; `beat` in milliseconds. */
type MakePlayer = (
	signal: AbortSignal,
	beat: number,
	show: (place: number, playing: boolean) => void,
) => {
	go: (place: number, plays?: boolean) => void;
	pause: () => boolean;
	play: () => void;
	at: (place: number, count: number, name: string) => void;
	step: (way: number) => void;
	end: (way: number) => void;
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
	fonts: { sans: string; mono: string };
	heads: string[];
	cividis: string[];
	signed: string[];
	tick: number;
	text: number;
} & Record<string, any>;

/** One number: `name` of an activation, weight or mask, and where in it. */
type Entry = { name: string; at: number[] };
/** A trail of numbers, and what /explain/trail shows of it. */
type Derivation = {
	trail: Entry[];
	input: State;
	crumbs: string;
	html: string;
	tables: Table[];
	kind?: string;
	place: State;
};

/** A kind of attention. */
type HeadGroup = { id: string; stack: string; kind: string; layers: number };
/** `head` null: all. */
type HeadChoice = HeadGroup & { layer: number; head: number | null; stage: string };
/** Rows of numbers, [query, key]. */
type Rows = ArrayLike<number>[];
type TokenLines = {
	queries: string[];
	keys: string[];
	pattern: Rows;
	/** How much of its row lies on heavier keys. */
	before: Rows;
	/** The chosen query's, drawn as bars of at most `reach`. */
	row: ArrayLike<number>;
	reach: number;
	/** The same in every head of the layer, or none. */
	heads: Rows;
	signed: boolean;
	measure?: string;
	head: number;
	/** Whether an edit has turned the head off. */
	off?: boolean;
	query: number;
	key: number | null;
	threshold: number;
};
type LinesLayout = ReturnType<typeof import("../../static/js/views/attention-lines.js").arrange>;

/** Names of the tokens of a residual stream, and of its steps. */
type StreamNames = { tokens: string[]; titles: string[] };
type StreamChoice = { view: string; position: number; step: number };

/** A cell of a mask. */
type Cell = { row: number; at: number };

/** Shapes with their centres, in shares of the picture's side. */
type Scene = {
	kind: string;
	colour: string;
	x: number;
	y: number;
	width: number;
	height: number;
}[];
/** The shape under a pointer that is down. */
type Grasped = {
	/** Its place in the scene, */
	index: number;
	/** where it was grasped, */
	x: number;
	y: number;
	/** and from there to its middle. */
	dx: number;
	dy: number;
	moves: boolean;
	/** When it was asked about, */
	asked: number;
	/** whether that is not answered yet, */
	waits: boolean;
	/** and whether Back undoes it. */
	pushed: boolean;
};

type StreamEvent = { event: string; id?: string; data: any };
type StreamRequest = RequestInit & { address: string };

/** A word, and a question. */
type Call = [string, Record<string, string>];
type HoverLine = { text: string; strong: boolean }[];
/** Of a drawn image. */
type Pixel = { row: number; column: number };
/** In pixels from the upper left corner of an image. */
type Point = { x: number; y: number };

type GuessCell = { guess: Guess; title: string };
/** Cells stand under what lies between these pixels. */
type GuessEdges = { left?: number; right?: number; after?: string };
/** `index` is the step in focus. */
type SearchTree = { answer: any; index: number; call: [string, any]; asked: any };
type CellEdit = { op: string; at: string; where: object; value: number };
/** A difference has no strongest keys. */
type MapNames = { queries: string[]; keys: string[]; strongest?: number[] };
type Operand = { name: string; index: (number | number[] | null)[] };
type Refusal = { status: number; detail: string; why?: string; errors?: any[]; retryAfter?: number };
/** What a clinic adds to a page that comes drawn. */
type Drawn = {
	/** Names in its state that nobody asks the server, */
	own?: string[];
	/** how it asks, */
	how?: How;
	/** who is told whenever it is drawn. */
	onDraw?: (state: State, page: Page, answer: any) => void;
	keys?: Keys;
};
type StreamOptions = Options & { onStep: (step: any) => void; begin?: boolean; again?: boolean };

/** What paints on a canvas. */
type Segment = (ink: Ink, x0: number, y0: number, x1: number, y1: number, colour: string) => void;
type WriteNote = (ink: Ink, note: Note, x: number, y: number) => void;
type WriteWords = (
	ink: Ink,
	content: string,
	x: number,
	y: number,
	font: Font,
	how?: TextStyle,
) => void;
/** `shade` gives red, green, blue and opacity, to 255. */
type Bitmap = (
	rows: number,
	columns: number,
	shade: (row: number, column: number) => number[] | null,
) => HTMLCanvasElement;
/** Red, green, blue and opacity of a number between `low` and `high`. */
type Shades = (
	colorscale: [number, string][],
	low: number,
	high: number,
) => (value?: number) => [number, number, number, number];
type Boxed = (
	name: string,
	width: number,
	x0: number,
	y0: number,
	wide?: number,
	high?: number,
) => Open;

/** What a room of a lecture shows (`/api/v1/rooms`). */
type LectureState = {
	scene: number;
	phase: number;
	address: string;
	next: string | null;
	pointer: { figure: string; panel: string; x: any; y: any } | null;
	zoom: Record<string, Record<string, number[]>>;
	sentence: string;
	choices: string[];
	right: string | null;
	votes: number[][] | null;
	begun: number;
} & Record<string, any>;
/** Shows states in the frames of a place; what a hand does there is reported. */
type LectureWindows = (
	place: HTMLElement,
	fields: State,
	report?: (changes: Partial<LectureState>) => void,
) => (state: LectureState) => void;
type LectureBars = (list: Element, votes: number[][] | null) => void;
/** A drawing of Plotly in a frame. */
type LecturePlot = {
	dataset: DOMStringMap;
	closest: (selector: string) => HTMLElement;
	_fullLayout: any;
	on: (name: string, heard: (event: any) => void) => void;
};
