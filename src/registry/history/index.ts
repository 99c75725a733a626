/** What the runs changed, so that an entry can be answered as our copy held it at the end of an earlier day. */
export {
	addChange,
	compareForHistory,
	createHistoryRows,
	type HistoryRows,
	mergeHistory,
	readHistoryRows,
	withoutKeys,
} from "./build-history";
export {
	type HistoryFacts,
	type HistoryFile,
	type HistoryStart,
	isSameBegin,
	type Moment,
	openHistory,
	verifyHistory,
	writeHistory,
} from "./history-file";
export {
	dayOf,
	findPeriod,
	fromIsoDay,
	HISTORY_MEMBERS,
	listPeriods,
	type Period,
	toIsoDay,
	type Was,
} from "./periods";
