/** Durable work: messages written with the data that caused them, carried out later. */
export { append, appendFor, createWake } from "./append";
export { atMost, type Slow } from "./concurrency-limit";
export { type Dispatcher, runDispatcher } from "./dispatcher";
export type { Handler, Handlers } from "./execute";
export { countDead, type KindFigure, measureDue } from "./figures-store";
export { ARCHIVE_KINDS, OUTBOX_KINDS } from "./kinds";
export { LeaseLostError, mustHaveLease, mustHold, writeHeld } from "./lease";
export { longestCallMs } from "./lease-type";
export type { Handover } from "./local-dispatch";
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
} from "./outcome";
export { heldParts, lockHeldMessage } from "./store";
export { ageMessages, hastenMessages, measureQueue, removeDead, reviveMessages, sweepSettled } from "./waiting-store";
