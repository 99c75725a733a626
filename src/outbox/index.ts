/** Durable work: messages written with the data that caused them, carried out later. */
export { append, appendFor, createWake } from "./append";
export { atMost } from "./at-most";
export { type Dispatcher, type DispatcherOptions, runDispatcher } from "./dispatcher";
export type { Handler, Handlers } from "./execute";
export type { Handover } from "./handover";
export type { Message, NewMessage } from "./message";
export { backoffSeconds, dead, done, type Handled, type Outcome, retry, settled, snooze } from "./outcome";
export {
	ageMessages,
	hastenMessages,
	heldParts,
	lockHeldMessage,
	measureQueue,
	removeDead,
	reviveMessages,
	type Settlement,
	sweepDone,
} from "./store";
