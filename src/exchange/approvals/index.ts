/** Commercial approvals: a buyer's final decision on a document. Ours on received documents, and our buyers' on issued ones. */
export { createApplyRule, enqueueRule } from "./apply-rule";
export { decide } from "./decide";
export { type ApprovalExaminer, createApprovalExaminer } from "./examiner";
export { approvalOperations, createFindApproval, createFindApprovals } from "./routes";
export { createArchiveApproval, createSendToAuthority, createSendToIssuer } from "./send-approval";
