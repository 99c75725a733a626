/** Commercial approvals: a buyer's final word on a document, ours on what was received and our buyers' on what was issued. */
export { createApplyRule, enqueueRule } from "./apply-rule";
export { type ApprovalExaminer, createApprovalExaminer } from "./examiner";
export { createFindApproval, createFindApprovals } from "./read-approvals";
export { approvalOperations } from "./routes";
export { createArchiveApproval, createSendToAuthority, createSendToIssuer } from "./send-approval";
