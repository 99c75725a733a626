/** What was done that somebody may have to answer for: written once, in the transaction of what it tells, and read by whom it concerns. */
export { type Actor, actorOf, type Doer, operatorActor } from "./record";
export { auditOperations } from "./routes";
export { type AuditEntry, countSince, recordAudit } from "./store";
