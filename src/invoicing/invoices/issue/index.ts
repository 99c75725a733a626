/** Issuing: from the request to the stored document and its acknowledgement. */
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
export { postInvoice } from "./post-invoice";
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
