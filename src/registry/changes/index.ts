/** What each run changed, and the cursors of the change feed. */
export { WATCHED_FIELDS, type WatchedField, withFields } from "./changed-fields";
export {
	type ChangeRow,
	type ChangeSetText,
	eraseChanges,
	type FeedPosition,
	findChanges,
	findLastOrdinal,
	findNextSet,
	forgetErasedNumber,
	type KeptChange,
	keepErasedNumber,
	listChangesOf,
	listErasedNumbers,
	lockChanges,
	readChangeTexts,
	readFeed,
	recordBreak,
	recordChanges,
	type SetOfChanges,
} from "./changes-store";
export { checkPosition, createFeedCursors, type FeedCursors, openCursor } from "./feed-cursor";
