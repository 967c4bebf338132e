// Paints a scene on a canvas, sharp on every screen.

/** @typedef {import("./scene.js").Scene} Scene */
/** @typedef {import("./scene.js").Shape} Shape */
/** @typedef {{sans: string, serif: string, mono: string}} Fonts */

/**
 * @param {HTMLCanvasElement} canvas @param {Scene} scene
 * @param {{fonts: Fonts, ratio?: number, background?: string}} options
 */
export function paint(
	canvas,
	scene,
	{ fonts, ratio = globalThis.devicePixelRatio || 1, background },
) {
	canvas.width = Math.round(scene.width * ratio);
	canvas.height = Math.round(scene.height * ratio);
	canvas.style.width = `${scene.width}px`;
	canvas.style.height = `${scene.height}px`;
	const context = /** @type {CanvasRenderingContext2D} */ (canvas.getContext("2d"));
	context.scale(ratio, ratio);
	if (background) {
		context.fillStyle = background;
		context.fillRect(0, 0, scene.width, scene.height);
	}
	for (const shape of scene.shapes) stroke(context, shape, fonts);
}

/** @param {CanvasRenderingContext2D} context @param {Shape} shape @param {Fonts} fonts */
function stroke(context, shape, fonts) {
	context.save();
	context.globalAlpha = shape.opacity ?? 1;
	PAINTERS[shape.shape](context, shape, fonts);
	context.restore();
}

/** @param {CanvasRenderingContext2D} context @param {Shape} shape */
function ink(context, shape) {
	if (shape.fill) {
		context.fillStyle = shape.fill;
		context.fill();
	}
	if (shape.stroke) {
		context.strokeStyle = shape.stroke;
		context.lineWidth = shape.line ?? 1;
		context.setLineDash(shape.dash ?? []);
		context.stroke();
	}
}

/** @type {Record<string, (context: CanvasRenderingContext2D, shape: Shape, fonts: Fonts) => void>} */
const PAINTERS = {
	rect(context, shape) {
		context.beginPath();
		context.rect(shape.x, shape.y, shape.width, shape.height);
		ink(context, shape);
	},
	path(context, shape) {
		context.beginPath();
		context.lineJoin = "round";
		shape.points.forEach(([x, y], i) => (i ? context.lineTo(x, y) : context.moveTo(x, y)));
		if (shape.closed) context.closePath();
		ink(context, shape);
	},
	link(context, shape) {
		const middle = (shape.x1 + shape.x2) / 2;
		context.beginPath();
		context.moveTo(shape.x1, shape.y1);
		context.bezierCurveTo(middle, shape.y1, middle, shape.y2, shape.x2, shape.y2);
		ink(context, shape);
	},
	dot(context, shape) {
		context.beginPath();
		context.arc(shape.x, shape.y, shape.radius, 0, 2 * Math.PI);
		ink(context, shape);
	},
	hatch(context, shape) {
		context.beginPath();
		context.rect(shape.x, shape.y, shape.width, shape.height);
		context.clip();
		context.beginPath();
		for (const [x1, y1, x2, y2] of strokes(shape)) {
			context.moveTo(x1, y1);
			context.lineTo(x2, y2);
		}
		ink(context, shape);
	},
	text(context, shape, fonts) {
		context.translate(shape.x, shape.y);
		if (shape.turn) context.rotate((shape.turn * Math.PI) / 180);
		context.font = `${shape.italic ? "italic " : ""}${shape.weight ?? 400} ${shape.size}px ${fonts[shape.font]}`;
		context.textAlign = shape.anchor === "middle" ? "center" : shape.anchor;
		context.textBaseline = shape.baseline;
		context.direction = "ltr";
		context.fillStyle = shape.fill;
		context.fillText(shape.content, 0, 0);
	},
	cells(context, shape) {
		context.imageSmoothingEnabled = false;
		context.drawImage(bitmap(shape), shape.x, shape.y, shape.width, shape.height);
	},
};

/** The strokes of a hatched box, at places that agree between neighbours. @param {Shape} shape @returns {number[][]} */
export function strokes({ x, y, width, height, gap }) {
	const first = Math.ceil((x + y) / gap) * gap;
	const count = Math.max(0, Math.floor((x + y + width + height - first) / gap) + 1);
	return Array.from({ length: count }, (_, i) => [
		first + i * gap - y,
		y,
		first + i * gap - y - height,
		y + height,
	]);
}

/** @param {Shape} shape */
export function bitmap(shape) {
	const canvas = document.createElement("canvas");
	canvas.width = shape.columns;
	canvas.height = shape.rows;
	const context = /** @type {CanvasRenderingContext2D} */ (canvas.getContext("2d"));
	context.putImageData(new ImageData(shape.pixels, shape.columns, shape.rows), 0, 0);
	return canvas;
}
