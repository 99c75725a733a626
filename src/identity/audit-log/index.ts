/** The audit log: entries are written once, in the transaction that they record, and read by those whom they concern. */
export { type Actor, actorOf, type Doer, operatorActor, operatorOf } from "./record";
export { auditOperations } from "./routes";
export { type AuditEntry, countSince, isOwned, type Owned, recordAudit } from "./store";
