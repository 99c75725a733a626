/** The database: connections, migrations, the embedded server, locks and channels. Queries belong to the `store.ts` of each folder. */

export { createWriteBatcher } from "./batch-writes";
export { compareCatalogue, readCatalogue } from "./catalogue";
export { CHANNELS } from "./channels";
export { DatabaseEngineError, readPlacements } from "./citus";
export { doClocksAgree, type FollowedClock, followClock } from "./clock";
export { connect, mayWaitOutside, plannedForValues, type Sql, type Tx, toJsonText, withoutTimeout } from "./connect";
export { type EmbeddedPostgres, findEmbeddedOwnerUrl, findEmbeddedUrl, startEmbeddedPostgres } from "./embedded";
export { DataDirLockedError, lockDataDir } from "./embedded-server";
export { checkEnvironment, claimEnvironment, DatabaseEnvironmentError, findEnvironment } from "./environment";
export {
	codeOf,
	isConnectionFailure,
	isCutShort,
	isPassing,
	isRolledBackRace,
	isServerUnable,
	retryOnFailure,
	settingOf,
	violatedConstraint,
} from "./failure";
export { type FencedSession, watchHungSessions } from "./hung-sessions";
export { LOCKS, lockNameOf, tryLock } from "./locks";
export {
	checkMigrated,
	DatabaseBaselineError,
	DatabaseInUseError,
	DatabaseTooNewError,
	DatabaseTooOldError,
	findApplied,
	maintainPartitions,
	migrate,
} from "./migrate";
export { EmbeddedServerError } from "./postgres-programs";
export { findOwnerUrl, findServiceUrl, type PreparedDatabase, prepareDatabase } from "./prepare";
export { checkReplicated, type ReplicationWatch, UnreplicatedError, watchReplication } from "./replication";
export { DatabaseRoleError, WRITTEN_ONCE } from "./rights";
export { copyIn, copyOut, type DatabaseShape, inSnapshot, TableCopyError } from "./table-copies";
export { createWriteWatch, type DatabaseWatch, type WriteWatch, watchDatabase } from "./watch";
