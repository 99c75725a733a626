/** Commercial approvals: a buyer's final word on a document, ours on what was received and our buyers' on what was issued. */
export { askRule, createApplyRule, RULE_KIND } from "./apply-rule";
export { createArchiveApproval } from "./archive-approval";
export { AUTHORITY_KIND, ISSUER_KIND } from "./decide";
export { createApprovalExaminer } from "./examiner";
export { type ApprovalRouteDeps, approvalOperations } from "./routes";
export { createSendToAuthority, createSendToIssuer } from "./send-approval";
export { createFindApproval, createFindApprovals } from "./shown-elsewhere";
export { ARCHIVE_APPROVAL_KIND } from "./store";
