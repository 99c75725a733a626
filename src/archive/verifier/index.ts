/** Verifies a document's evidence file without the service, on the command line and in a browser. */

export { EVIDENCE_LIMITS } from "./read-zip";
export {
	CHECK_NAMES,
	CHECK_TITLES,
	type Check,
	type CheckName,
	type EvidenceOptions,
	type EvidenceReport,
	verifyEvidence,
} from "./verify-evidence";
