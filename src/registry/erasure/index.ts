/** Erasures under the data-protection law and their reversals. */
export { startErasureKeeper } from "./keep-erasures";
export {
	type ErasureDeps,
	type FindKeyLineage,
	purgeDocument,
	purgeOnce,
	type Requester,
	reversePurge,
	type SignReceipt,
} from "./purges";
export {
	exampleProposedRecord,
	examplePurgeAnswer,
	examplePurgeRecord,
	examplePurgeRequest,
	exampleReversedRecord,
	LOOKUP_MAX_AGE_SECONDS,
	PurgeAnswer,
	PurgeRecord,
	PurgeRequest,
	toPurgeRecord,
} from "./record";
export { createTombstones, createTombstonesFrom, ERASED_NUMBER_CONTEXT, type Tombstones } from "./tombstones";
export {
	blockErasures,
	findTombstone,
	findTombstoneOf,
	forgetReturns,
	listErasedForRun,
	listTombstones,
	markReturned,
	omitsUnknownEntries,
	type TombstoneRow,
} from "./tombstones-store";
