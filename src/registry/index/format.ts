/**
 * The snapshot: one immutable file that holds all entries of one ingest run, ready for look-ups and searches in place. It is mapped into
 * memory instead of read: opening it costs nothing, and the processes of a host share its pages.
 *
 *   header     64 bytes   magic, version, length of the whole file, offset and length of the manifest
 *   section    …          arrays of numbers or bytes, each at a multiple of 8, in the machine's own order (little endian)
 *   section    …
 *   manifest   …          MessagePack: run, source, counts, and the table of sections with their CRC-32
 *   footer     16 bytes   CRC-32 of the manifest, CRC-32 of the header, magic
 *
 * Rows and positions
 *
 *   row        0 … n-1, ascending by document number read as text
 *   position   0 … n-1, one numbering for each text field: best hit first, as far as the query does not matter
 *              (active status, then the shorter folded value, then the row)
 *   word       0 … v-1, the distinct words of a field (see words/canonical-words.ts), sorted by their bytes
 *
 * Sections of the whole file
 *
 *   keys         row → the document number as one number (see document-key.ts)
 *   traits       row → status × 2 + (11 digits ? 1 : 0)
 *   start-days   row → when the taxpayer started to operate (see start-date.ts); not part of an entry's JSON
 *   entries      the part of an entry that it shares with no other, by row, each at a multiple of 8 (see open.ts)
 *   entry-starts row → address: the eight-byte unit of `entries` where it starts; one more element closes the last
 *   slots        open-addressed hash table over the keys, two numbers per slot: address + 1 (0 if empty) and the lower 32
 *                bits of the key; a power of two, at most half full
 *   ending-starts, ending-texts   ending → the part that thousands of entries share (activity, status and regime): its JSON,
 *                from the quote after the commercial name to the closing brace
 *   ending-cuts  ending → how much of it a search shows: all but the regime, which therefore comes last
 *
 * Sections of each text field
 *
 *   rows            position → row
 *   rank-keys       the distinct static ranks (inactive × 65,536 + length), ascending
 *   rank-starts     rank → its first position; one more element closes the last
 *   traits          position → the trait of its row, so that a filter reads sequentially
 *   word-starts     position → where its words start in `words`; one more element closes the last
 *   words           the words of each value, in the value's order; then its extra words and legal forms, with `EXTRA_WORD`
 *   dictionary-starts, dictionary   word → its bytes, UTF-8
 *   posting-starts, postings        word → ascending positions of the values that hold it, each once
 *   by-value        the positions of all non-empty values, sorted by value without its extra words; equal values by position
 *
 * Sections of each text field that only make searches faster
 *
 *   value-least     block of 128 elements of `by-value` → the least position in it (see least.ts)
 *   value-starts    distinct value → where its run starts in `by-value`; one more element closes the last. Empty for a
 *                   field whose values mostly differ (see choose-walk.ts)
 *   group-starts    group of neighbouring words → its first word; one more element closes the last
 *   pair-starts, pairs   two groups → ascending positions of the values with a word of each, some twice; after them the
 *                   positions of the values that are too long for pairs. Empty if the field lists its runs of values
 *
 * A look-up touches two uncached memory locations: the slot, and the entry with its key, ending and text side by side. With a row table in
 * between it touched five, and ten times the entries cost 1.4 times the time.
 *
 * A query word is a prefix, so it is a range of words and, through `posting-starts`, a range of postings. Values that equal or start with
 * the query form one range of `by-value`.
 *
 * What fails: a file that is truncated, of another version, or damaged in header, manifest or footer does not open. `verifySnapshot` finds
 * damage in a section before a file is published. `verifyFile` checks every file that comes into use from a disk.
 *
 * Quirks: a published file is never changed, truncated or overwritten, because a process that maps it would read the change or crash. An
 * erased entry therefore stays in its file until a new file replaces it.
 */
export const MAGIC = "SELLOREG";
/** Increment with any change of the layout. A file of another version is rebuilt from its source. */
export const VERSION = 4;
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
	/** Entries of the source that were left out because they are erased. */
	readonly suppressed: number;
	/** Which erasures the file was cleared of: a digest over all tombstones at the time. */
	readonly clearedOf: string;
};

export type Manifest = SnapshotFacts & {
	readonly entryCount: number;
	/** Status → text; a trait holds the status by its index here. */
	readonly statuses: readonly string[];
	readonly sections: readonly Section[];
};

/** The file is not a snapshot of this version, or it is damaged. Rebuilding it from the source repairs it. */
export class SnapshotError extends Error {
	constructor(
		readonly path: string,
		readonly fault: string,
	) {
		super(`the registry snapshot ${path} cannot be used: ${fault}`);
		this.name = "SnapshotError";
	}
}

/** The file does not exist: another process removed it, which is no damage. */
export class SnapshotGoneError extends SnapshotError {
	override readonly name = "SnapshotGoneError";
}

/** Unique within an entry's JSON, because quotes inside a text are escaped. */
export const REGIME_LABEL = ',"payment_regime":';

/** Longer folded values share one rank. */
export const RANK_LENGTH_MAX = 65_535;

/** The static rank of a value; the best is the lowest. */
export function rankKeyOf(active: boolean, length: number): number {
	return (active ? 0 : RANK_LENGTH_MAX + 1) + Math.min(length, RANK_LENGTH_MAX);
}

/** Marks a word under which a value is found, although it does not count where values are compared. */
export const EXTRA_WORD = 0x80000000;
/** Removes the mark. */
export const WORD_BITS = 0x7fffffff;

/** Number of distinct statuses that fit into a 16-bit trait. */
export const STATUSES_MAX = 32_767;
