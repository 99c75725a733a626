/** Durable work: messages that are written with the data that causes them and handled later. */

export type { LocalDispatch } from "./append";
export { append, appendFor, appendOnce, createWake } from "./append";
export {
	ageMessages,
	countDead,
	expediteMessages,
	reviveMessages,
	sweepDead,
	waitingSubjects,
	withoutRows,
} from "./backlog-store";
export { limitConcurrency, type Slow } from "./concurrency-limit";
export { type Dispatcher, startDispatcher } from "./dispatcher";
export type { Handler, Handlers } from "./execute";
export { ARCHIVE_KINDS, OUTBOX_KINDS } from "./kinds";
export { assertLease, assertLeaseTime, LeaseLostError, longestCallMs, writeUnderLease } from "./lease";
export { findLogged, type LoggedKey, loggedDocuments, measureLogs } from "./log-store";
export type { Message, NewMessage } from "./message";
export {
	backoffSeconds,
	dead,
	done,
	type Handled,
	type Outcome,
	pauseAfterSeconds,
	retry,
	settled,
	snooze,
	staysInMemory,
} from "./message";
export { outboxOperations } from "./routes";
export { type KindFigure, leaseParts, lockLeasedMessage, measureDue, measureQueue, settleMessages } from "./store";
export type { LoggedWork } from "./work-log";
