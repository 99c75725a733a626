/** Durable work: messages written with the data that caused them, carried out later. */
export { append, appendFor, createWake } from "./append";
export { atMost, type Slow } from "./at-most";
export { type Dispatcher, runDispatcher } from "./dispatcher";
export type { Handler, Handlers } from "./execute";
export { countDead, type KindFigure, measureDue } from "./figures-store";
export type { Handover } from "./handover";
export { LeaseLostError, mustHaveLease, mustHold, writeHeld } from "./held";
export { longestCallMs } from "./lease";
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
