/** Commercial approvals: a buyer's final word on a document, ours on what was received and our buyers' on what was issued. */
export { askRule, createApplyRule, RULE_KIND } from "./apply-rule";
export { AUTHORITY_KIND, ISSUER_KIND } from "./decide";
export { createApprovalExaminer } from "./examiner";
export { createFindApproval, createFindApprovals } from "./read-approvals";
export { type ApprovalRouteDeps, approvalOperations } from "./routes";
export { createArchiveApproval, createSendToAuthority, createSendToIssuer } from "./send-approval";
export { ARCHIVE_APPROVAL_KIND } from "./store";
