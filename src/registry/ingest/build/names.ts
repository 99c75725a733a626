/**
 * The two names of every record on their way into a snapshot, as bytes and as folded words. They come in chunks of fixed size, so that
 * growing arrays are never copied and one thread can fold what another has read. A record is in `chunks[record >>> CHUNK_BITS]`, at the
 * index given by its lower bits.
 */
import { EXTRA_WORD } from "../../index/index";
import { grownNumbers } from "./byte-dictionary";
import { createWordCollector, READ_BEYOND } from "./fold";

export const CHUNK_BITS = 15;
export const CHUNK_RECORDS = 1 << CHUNK_BITS;

/** Space for reading and writing four bytes at a time. */
export const SLACK_BYTES = 8;

export type NameChunk = {
	/** UTF-8: each record's name, followed by its commercial name. `SLACK_BYTES` more follow the last. */
	readonly texts: Uint8Array<ArrayBuffer>;
	/** The names of record `i` start at `starts[2 × i]` and `starts[2 × i + 1]`; one more element closes the last. */
	readonly starts: Uint32Array;
	/** New number of a record → its number in this chunk. Absent if the two are the same. */
	readonly order?: Uint32Array;
	/** Only the last chunk has fewer than `CHUNK_RECORDS`. */
	readonly count: number;
};

/** Folded values as plain data, so that they can cross to another thread. */
export type FoldedValues = {
	/** Value → where its words start; one more element closes the last. */
	readonly starts: Uint32Array;
	/** Extra words have `EXTRA_WORD`. */
	readonly words: Uint32Array;
	/** Value → length of the folded value. Units: UTF-16 code units. */
	readonly lengths: Uint32Array;
	/** Word `id` is `bytes[starts[id] … starts[id + 1])`. */
	readonly dictionary: { readonly bytes: Uint8Array; readonly starts: Uint32Array };
};

export type Names = {
	readonly take: (chunk: NameChunk) => void;
	readonly chunks: readonly NameChunk[];
	readonly folded: (field: "name" | "trade_name") => FoldedValues;
};

/** High estimates of the words of a name, and of a commercial name, which most records lack. */
const WORDS_ABOUT = { name: 4, trade_name: 1 };

/** `recordsAbout` estimates the number of records. Memory that is never written to costs nothing; memory that grows is copied. */
export function createNames(recordsAbout = 0): Names {
	const chunks: NameChunk[] = [];
	const folders = {
		name: createFolder(recordsAbout, WORDS_ABOUT.name),
		trade_name: createFolder(recordsAbout, WORDS_ABOUT.trade_name),
	};
	return {
		take: (given) => {
			const chunk = sortNames(given);
			chunks.push(chunk);
			folders.name.take(chunk, 0);
			folders.trade_name.take(chunk, 1);
		},
		chunks,
		folded: (field) => folders[field].values(),
	};
}

/** The chunk with its names sorted, copied four bytes at a time; bytes copied in excess are overwritten by the next name. */
function sortNames(chunk: NameChunk): NameChunk {
	const { order } = chunk;
	if (!order) return chunk;
	const texts = new Uint8Array(chunk.texts.length);
	const source = new DataView(chunk.texts.buffer, chunk.texts.byteOffset, chunk.texts.length);
	const target = new DataView(texts.buffer);
	const starts = new Uint32Array(chunk.starts.length);
	let end = 0;
	for (let i = 0; i < order.length; i++) {
		const record = order[i] ?? 0;
		const from = chunk.starts[2 * record] ?? 0;
		const to = chunk.starts[2 * record + 2] ?? 0;
		const shift = end - from;
		for (let at = from; at < to; at += 4) target.setInt32(at + shift, source.getInt32(at, true), true);
		starts[2 * i + 1] = (chunk.starts[2 * record + 1] ?? 0) + shift;
		end += to - from;
		starts[2 * i + 2] = end;
	}
	// Frees the memory for the next chunk at once instead of at the next collection.
	chunk.texts.buffer.transfer(0);
	return { texts, starts, count: chunk.count };
}

/** Extra words are left out: a field with few distinct values lists their runs, in which they would differ. */
export function foldTexts(texts: readonly string[]): FoldedValues {
	const collector = createWordCollector();
	const starts = new Uint32Array(texts.length + 1);
	const words: number[] = [];
	const lengths = Uint32Array.from(texts, (text, i) => {
		const bytes = new Uint8Array(Buffer.byteLength(text) + READ_BEYOND);
		bytes.set(Buffer.from(text));
		const before = collector.count();
		const length = collector.take(new DataView(bytes.buffer), 0, bytes.length - READ_BEYOND);
		for (const word of collector.words().subarray(before)) if (word < EXTRA_WORD) words.push(word);
		starts[i + 1] = words.length;
		return length;
	});
	return { starts, lengths, words: Uint32Array.from(words), dictionary: collector.dictionary.content() };
}

function createFolder(recordsAbout: number, wordsAbout: number) {
	const collector = createWordCollector(wordsAbout * recordsAbout);
	const about = Math.max(CHUNK_RECORDS, recordsAbout);
	let starts: Uint32Array = new Uint32Array(about + 1);
	let lengths: Uint32Array = new Uint32Array(about);
	let count = 0;
	return {
		take: (chunk: NameChunk, which: 0 | 1) => {
			const texts = new DataView(chunk.texts.buffer, chunk.texts.byteOffset, chunk.texts.length);
			lengths = grownNumbers(lengths, count + chunk.count);
			starts = grownNumbers(starts, count + chunk.count + 1);
			for (let at = which; at < 2 * chunk.count; at += 2) {
				lengths[count++] = collector.take(texts, chunk.starts[at] ?? 0, chunk.starts[at + 1] ?? 0);
				starts[count] = collector.count();
			}
		},
		values: () => ({
			starts: starts.subarray(0, count + 1),
			lengths: lengths.subarray(0, count),
			words: collector.words(),
			dictionary: collector.dictionary.content(),
		}),
	};
}
