/**
 * The two names of every record on their way into a snapshot: as bytes, and as folded words.
 *
 * They come in chunks of so many records each, so that nothing that grows is ever copied, and so that one thread can fold what another has
 * read. A record is in `chunks[record >>> CHUNK_BITS]`, at the place that its other bits tell.
 */
import { grownNumbers } from "./byte-dictionary";
import { createWordCollector, READ_BEYOND, type WordCollector } from "./fold";

export const CHUNK_BITS = 15;
export const CHUNK_RECORDS = 1 << CHUNK_BITS;

/** ResponseBuffer for what is read and written whole words at a time. */
export const SLACK_BYTES = 8;

export type NameChunk = {
	/** UTF-8: of each record the name and behind it the commercial name. So many bytes more stand behind the last: `SLACK_BYTES`. */
	readonly texts: Uint8Array<ArrayBuffer>;
	/** The names of the chunk's record `i` begin at `starts[2 × i]` and `starts[2 × i + 1]`; one more element closes the last. */
	readonly starts: Uint32Array;
	/** New number of a record → the one by which its names stand here. Without it the two are the same. */
	readonly order?: Uint32Array;
	/** Only the last chunk has less than `CHUNK_RECORDS`. */
	readonly count: number;
};

/** Folded values, plain enough to cross to another thread. */
export type FoldedValues = {
	/** Value → where its words begin; one more element closes the last. */
	readonly starts: Uint32Array;
	/** As numbers of the dictionary. */
	readonly words: Uint32Array;
	/** Value → length of the folded value. Units: UTF-16 code units. */
	readonly lengths: Uint32Array;
	/** Word `id` is `bytes[starts[id] … starts[id + 1])`. */
	readonly dictionary: { readonly bytes: Uint8Array; readonly starts: Uint32Array };
};

export type Names = {
	/** Takes the next chunk for itself. */
	readonly take: (chunk: NameChunk) => void;
	readonly chunks: readonly NameChunk[];
	/** Record → its name, or its commercial name, folded. */
	readonly folded: (field: "name" | "trade_name") => FoldedValues;
};

/** Rather more words than a name has, and a commercial name, which most records lack. */
const WORDS_ABOUT = { name: 4, trade_name: 1 };

/** `recordsAbout` is how many will come, as far as that is known: room that is never written to costs nothing, and room that grows is copied. */
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

/** The chunk with its names in its order, copied whole words at a time: what one copies too much, the next writes over. */
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
	// Free for the next chunk at once, not when somebody collects it.
	chunk.texts.buffer.transfer(0);
	return { texts, starts, count: chunk.count };
}

/** Folds each of some texts. */
export function foldTexts(texts: readonly string[]): FoldedValues {
	const collector = createWordCollector();
	const starts = new Uint32Array(texts.length + 1);
	const lengths = Uint32Array.from(texts, (text, i) => {
		const bytes = new Uint8Array(Buffer.byteLength(text) + READ_BEYOND);
		bytes.set(Buffer.from(text));
		const length = collector.take(new DataView(bytes.buffer), 0, bytes.length - READ_BEYOND);
		starts[i + 1] = collector.count();
		return length;
	});
	return valuesOf(starts, lengths, collector);
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
		values: () => valuesOf(starts.subarray(0, count + 1), lengths.subarray(0, count), collector),
	};
}

function valuesOf(starts: Uint32Array, lengths: Uint32Array, collector: WordCollector): FoldedValues {
	return { starts, lengths, words: collector.words(), dictionary: collector.dictionary.content() };
}
