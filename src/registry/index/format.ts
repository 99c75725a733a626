/**
 * The snapshot: one immutable file that holds all entries of one ingest run, ready to be looked up and searched where it lies.
 * It is mapped into memory, not read: opening it costs nothing, and the processes of a host share its pages.
 *
 *   header     64 bytes   magic, version, length of the whole file, place and length of the manifest
 *   section    …          arrays of numbers or bytes, each at a multiple of 8, in the machine's own order (little endian)
 *   section    …
 *   manifest   …          MessagePack: which run and source, the counts, and the table of the sections with their CRC-32
 *   footer     16 bytes   CRC-32 of the manifest, CRC-32 of the header, magic
 *
 * Rows and positions
 *
 *   row        0 … n-1, ascending by document number read as text
 *   position   0 … n-1, one numbering for each text field: the best hit first as far as the query does not matter
 *              (active status, then the shorter folded value, then the row)
 *   word       0 … v-1, the distinct folded words of a field, sorted by their bytes
 *
 * Sections of the whole
 *
 *   keys         row → the document number as one number (see document-key.ts)
 *   traits       row → status × 2 + (11 digits ? 1 : 0)
 *   entries      what an entry has alone, in the order of rows, each at a multiple of 8 (entry-layout.ts)
 *   entry-starts row → address: which eight bytes of `entries` its own begin with; one more element closes the last
 *   slots        open-addressed hash table over the keys, two numbers a slot: address + 1, 0 where empty, and the lower 32 bits of the
 *                key; a power of two, at most half full
 *   ending-starts, ending-texts   ending → what thousands of entries share, activity, status and regime: its JSON, from the quote
 *                behind the commercial name to the closing brace
 *   ending-cuts  ending → how much of it a search shows: all but the regime, which therefore comes last
 *
 * Sections of each text field
 *
 *   rows            position → row
 *   rank-keys       the distinct static ranks (inactive × 65,536 + length), ascending
 *   rank-starts     rank → its first position; one more element closes the last
 *   traits          position → the trait of its row, so that a filter reads on and does not jump
 *   word-starts     position → where its words begin in `words`; one more element closes the last
 *   words           the words of each value, in the value's order
 *   dictionary-starts, dictionary   word → its bytes, UTF-8
 *   posting-starts, postings        word → ascending positions of the values that hold it, each once
 *   by-value        the positions of all values that are not empty, sorted by the value, equal ones by position
 *
 * Sections of each text field that only make a search faster
 *
 *   value-least     block of 128 places of `by-value` → the least position in it (least.ts)
 *   value-starts    distinct value → where its run begins in `by-value`; one more element closes the last. Empty in a field whose values
 *                   mostly differ (value-runs.ts)
 *   group-starts    group of neighbouring words → its first word; one more element closes the last (pair-index.ts)
 *   pair-starts, pairs   two groups → ascending positions of the values with a word of each, some twice; behind them the positions of
 *                   the values that are too long for pairs. Nothing in a field that has its runs of values listed
 *
 * A look-up touches two places that no cache holds: the slot, and the entry, which has its key, its ending and its text side by
 * side. With a row in between they were five, and ten times the entries cost 1.4 times the time.
 *
 * A query word is a prefix, so it is a range of words and, by `posting-starts`, a range of postings. A whole value that equals or
 * begins with the query lies in one range of `by-value`.
 *
 * What fails: a file that is cut, of another version or damaged in header, manifest or footer does not open; damage in a section is
 * found by `verifySnapshot`, which runs on every file before it is published, and by verify-pieces.ts, which runs on every file that is taken into use
 * from a disk.
 *
 * Quirks: a file is never changed, cut or written over once it has its name, because a process that maps it would read the change, or
 * die of it. An erased entry therefore stands in its file until a new file without it takes its place.
 */
export const MAGIC = "SELLOREG";
/** Raise it with any change of the layout: a file of another version is built anew from its source. */
export const VERSION = 3;
export const HEADER_BYTES = 64;
export const FOOTER_BYTES = 16;
export const ALIGNMENT = 8;

export const TEXT_FIELDS = ["name", "trade_name", "economic_activity"] as const;
export type TextField = (typeof TEXT_FIELDS)[number];

export type Section = {
	readonly name: string;
	readonly offset: number;
	readonly bytes: number;
	readonly crc: number;
};

export type SnapshotFacts = {
	readonly runId: string;
	readonly source: string;
	readonly sourceEtag: string | null;
	readonly sourceSha256: string;
	/** Entries of the source that were left out because they had been erased. */
	readonly suppressed: number;
	/** Which erasures the file has been cleared of: a digest over all tombstones at the time. */
	readonly clearedOf: string;
};

export type Manifest = SnapshotFacts & {
	readonly entryCount: number;
	/** Status → text; a trait holds the status by its place here. */
	readonly statuses: readonly string[];
	readonly sections: readonly Section[];
};

/** The file is no snapshot of this version, or it is damaged. Building it again from the source repairs it. */
export class SnapshotError extends Error {
	constructor(
		readonly path: string,
		readonly fault: string,
	) {
		super(`the registry snapshot ${path} cannot be used: ${fault}`);
		this.name = "SnapshotError";
	}
}

/** There is no such file: somebody has removed it, which damages nothing. */
export class SnapshotGoneError extends SnapshotError {
	override readonly name = "SnapshotGoneError";
}

/** A quote inside of a text is escaped, so this can stand in an entry's JSON only once. */
export const REGIME_LABEL = ',"payment_regime":';

/** Longer folded values rank alike. */
export const RANK_LENGTH_MAX = 65_535;

/** The static rank of a value, ascending from the best. */
export function rankKeyOf(active: boolean, length: number): number {
	return (active ? 0 : RANK_LENGTH_MAX + 1) + Math.min(length, RANK_LENGTH_MAX);
}

/** Distinct statuses that a trait of 16 bits can tell apart. */
export const STATUSES_MAX = 32_767;
