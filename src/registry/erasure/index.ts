/** Erasures under the data-protection law and their reversals. */
export { keepErasures } from "./keep-erasures";
export {
	type ErasureDeps,
	type FindKin,
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
export { createTombstones, type Tombstones } from "./tombstones";
export {
	findTombstone,
	forgetReturnsAfter,
	lacksUnknown,
	listErasedForRun,
	markReturned,
	PURGED_CHANNEL,
	type TombstoneRow,
} from "./tombstones-store";
