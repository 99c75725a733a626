/** The snapshot of one ingest run: a single memory-mapped file that serves look-ups and searches in place. */

export { normaliseText } from "../words";
export { cellCountOf, cellOf, findRuns } from "./choose-walk";
export { markCold, skipFtlForCold } from "./cold-code";
export {
	CHANGE_KINDS,
	compareSnapshots,
	countChanges,
	type PackedChanges,
	packChanges,
	type RegistryChange,
	unpackChanges,
} from "./compare";
export { findWords, listWords } from "./dictionary";
export {
	digitsOf,
	fillSlots,
	isElevenDigits,
	KEY_BOUND,
	keyOf,
	keyOfValue,
	keyOfWritten,
	LAST_DOCUMENT,
	slotOf,
	writeDigits,
} from "./document-key";
export {
	copyItem,
	createResponseBuffer,
	entryAt,
	entryBytesAt,
	findAddress,
	findAddressOfKey,
	itemSizeAt,
	lookupEntry,
	type ResponseBuffer,
	startedOnOf,
} from "./entries";
export { createDigest, createErasedCheck, type IsErased, type TombstoneSet } from "./erased-set";
export {
	ALIGNMENT,
	EXTRA_WORD,
	FOOTER_BYTES,
	HEADER_BYTES,
	MAGIC,
	type Manifest,
	RANK_LENGTH_MAX,
	REGIME_LABEL,
	rankKeyOf,
	type Section,
	SnapshotError,
	type SnapshotFacts,
	SnapshotGoneError,
	STATUSES_MAX,
	TEXT_FIELDS,
	type TextField,
	VERSION,
	WORD_BITS,
} from "./format";
export { findPlace, type HitPosition, REST_CLASS } from "./hit-position";
export { leastOfBlocks } from "./least";
export {
	countUnits,
	type Entries,
	findFileId,
	HEAD_BYTES,
	type LengthCheck,
	openSnapshot,
	type Snapshot,
	textBytesAt,
	toFileId,
	UNIT_BYTES,
	viewEntries,
	viewFile,
	watchLength,
} from "./open";
export { type RowHits, type SearchHits, type SearchQuery, searchRows, searchSnapshot } from "./search";
export { dayOfBytes, dayOfText } from "./start-date";
export {
	type PiecesOf,
	verifyEntries,
	verifyEntryBytes,
	verifyField,
	verifyFields,
	verifyFile,
	verifyMapped,
	verifySnapshot,
} from "./verify";
