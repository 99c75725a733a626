/** What proves one archived document to anybody. */
export { DocumentProof, proveDocument } from "./document-proof";
export { EvidenceLostError, packEvidence } from "./pack-evidence";
