/** The proof and the evidence file of one archived document. */
export { DocumentProof, proveDocument } from "./document-proof";
export { EvidenceLostError, packEvidence } from "./pack-evidence";
