/** What each run changed, and the cursors of the change feed. */
export {
	type ChangeRow,
	eraseChanges,
	type Feed,
	type FeedPosition,
	listChangesOf,
	readChangeTexts,
	readFeed,
	recordBreak,
	recordChanges,
} from "./changes-store";
export { createFeedCursors, type FeedCursors } from "./feed-cursor";
