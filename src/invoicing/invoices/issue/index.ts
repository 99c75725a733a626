/** Issuing: from the request to the stored document and its acknowledgement. */
export { type AcknowledgedRing, createAcknowledgedRing } from "./acknowledged-ring";
export { createAdmissionControl } from "./admission-control";
export {
	BATCH_MAX,
	type BatchItem,
	BatchResult,
	checkCount,
	createBatchReader,
	NDJSON,
	toBatchResult,
	toPayload,
} from "./batch-format";
export { createBatchedQueries } from "./batched-queries";
export { DryRun } from "./dry-run";
export { issueBatch } from "./issue-batch";
export { storeParts } from "./issue-store";
export { findIssuer, type IssueDeps } from "./issuer";
export { issueBytes, issuePlace, postInvoice, rehearseBytes } from "./post-invoice";
export {
	draftTestDocument,
	findLastUsed,
	findTestDocuments,
	storeTestDocument,
	type TestDocument,
	type TestDocumentState,
	type TestDraft,
	type TestIssuer,
	toTestDocument,
} from "./test-document";
