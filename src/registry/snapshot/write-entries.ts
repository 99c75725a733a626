/** Writes what entries are answered with: the two names of each, and once for all that share it what stands behind them. */
import type { EntryColumns } from "./columns";
import { REGIME_LABEL } from "./format";
import type { SnapshotWriter } from "./write-file";

const PIECE_BYTES = 4 * 1024 * 1024;
/** Escaping makes at most two bytes of one. */
const ESCAPED_MAX = 2;
const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/** Writes the sections `texts`, `text-starts`, `endings`, `ending-starts`, `ending-cuts` and `ending-texts`. */
export function writeEntries(columns: EntryColumns, writer: SnapshotWriter): void {
	writer.write("text-starts", writeTexts(columns, writer.begin("texts")));
	const { endings, texts } = numberEndings(columns);
	writer.write("endings", endings);
	const bytes = texts.map((text) => Buffer.from(text));
	const starts = new Uint32Array(bytes.length + 1);
	const cuts = Uint32Array.from(bytes, (one) => one.lastIndexOf(REGIME_LABEL));
	bytes.forEach((one, i) => {
		starts[i + 1] = (starts[i] ?? 0) + one.length;
	});
	writer.write("ending-starts", starts);
	writer.write("ending-cuts", cuts);
	writer.write("ending-texts", Buffer.concat(bytes));
}

/** Names and commercial names as JSON has them, byte for byte what `JSON.stringify` would give. */
function writeTexts(
	{ keys, texts, textStarts }: EntryColumns,
	section: ReturnType<SnapshotWriter["begin"]>,
): Uint32Array {
	const starts = new Uint32Array(2 * keys.length + 1);
	let piece: Uint8Array = new Uint8Array(PIECE_BYTES);
	let length = 0;
	let written = 0;
	for (let row = 0; row < keys.length; row++) {
		const nameStart = textStarts[2 * row] ?? 0;
		const tradeNameStart = textStarts[2 * row + 1] ?? 0;
		const end = textStarts[2 * row + 2] ?? 0;
		const room = ESCAPED_MAX * (end - nameStart);
		if (length + room > piece.length) {
			section.append(piece.subarray(0, length));
			written += length;
			length = 0;
			if (room > piece.length) piece = new Uint8Array(room);
		}
		starts[2 * row] = written + length;
		length = putText(piece, length, texts, nameStart, tradeNameStart);
		starts[2 * row + 1] = written + length;
		length = putText(piece, length, texts, tradeNameStart, end);
	}
	section.append(piece.subarray(0, length));
	section.end();
	written += length;
	if (written > 0xffffffff) throw new RangeError(`expected at most 4 GiB of names, got ${written} bytes`);
	starts[2 * keys.length] = written;
	return starts;
}

function putText(target: Uint8Array, at: number, texts: Uint8Array, from: number, to: number): number {
	let end = at;
	for (let i = from; i < to; i++) {
		const byte = texts[i] ?? 0;
		if (byte < 0x20) throw new RangeError("expected the texts of an entry to hold no control characters");
		if (byte === QUOTE || byte === BACKSLASH) target[end++] = BACKSLASH;
		target[end++] = byte;
	}
	return end;
}

/** Row → ending, and the endings' texts. There are a few thousand combinations of activity, status and regime at most. */
function numberEndings(columns: EntryColumns) {
	const { activities, statuses, regimes, activityTexts, statusTexts, regimeTexts } = columns;
	const numbers = new Map<number, number>();
	const texts: string[] = [];
	const endings = new Uint32Array(activities.length);
	for (let row = 0; row < activities.length; row++) {
		const activity = activities[row] ?? 0;
		const status = statuses[row] ?? 0;
		const regime = regimes[row] ?? 0;
		const combination = (activity * statusTexts.length + status) * regimeTexts.length + regime;
		let number = numbers.get(combination);
		if (number === undefined) {
			number = texts.length;
			numbers.set(combination, number);
			const [one, two, three] = [activityTexts[activity], statusTexts[status], regimeTexts[regime]].map((text) =>
				JSON.stringify(text),
			);
			texts.push(`","economic_activity":${one},"status":${two}${REGIME_LABEL}${three}}`);
		}
		endings[row] = number;
	}
	return { endings, texts };
}
