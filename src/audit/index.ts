/** What was done that somebody may have to answer for: written once, in the transaction of what it tells. */
export { type Actor, actorOf, operatorActor } from "./actor";
export { type AuditEntry, countSince, recordAudit } from "./store";
