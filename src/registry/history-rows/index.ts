/** The rows of the history in the database. Apart from its files, because threads of the ingest read those without loading the database. */
export {
	beginEra,
	type EarlierValues,
	eraseHistory,
	insertHistoryStart,
	listHistoryOf,
	listHistoryStarts,
	readHistory,
	recordHistory,
	removeDifferencesAt,
	rollBackHistory,
} from "./history-store";
