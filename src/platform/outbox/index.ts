/** Durable work: messages written with the data that caused them, carried out later. */

export type { Handover } from "./append";
export { append, appendFor, createWake } from "./append";
export {
	ageMessages,
	countDead,
	hastenMessages,
	type KindFigure,
	measureDue,
	measureQueue,
	removeDead,
	reviveMessages,
	sweepSettled,
} from "./backlog-store";
export { atMost, type Slow } from "./concurrency-limit";
export { type Dispatcher, runDispatcher } from "./dispatcher";
export type { Handler, Handlers } from "./execute";
export { ARCHIVE_KINDS, OUTBOX_KINDS } from "./kinds";
export { LeaseLostError, longestCallMs, mustHaveLease, mustHold, writeHeld } from "./lease";
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
} from "./message";
export { heldParts, lockHeldMessage } from "./store";
