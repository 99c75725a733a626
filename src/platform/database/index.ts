/** The database: connections, migrations, the embedded server. Every query stands in some folder's `store.ts`. */
export { DatabaseInUseError } from "./apply-when-free";
export { createWriteBatcher } from "./batch-writes";
export { CHANNELS } from "./channels";
export { doClocksAgree } from "./clocks";
export { connect, patiently, type Sql, type Tx } from "./connect";
export { DataDirHeldError, holdDataDir } from "./data-dir";
export { type EmbeddedPostgres, findEmbeddedOwnerUrl, findEmbeddedUrl, startEmbeddedPostgres } from "./embedded";
export { EmbeddedServerError } from "./embedded-error";
export { checkEnvironment, claimEnvironment, DatabaseEnvironmentError, findEnvironment } from "./environment";
export {
	codeOf,
	isConnectionFailure,
	isCutShort,
	isPassing,
	isRolledBackRace,
	isServerUnable,
	retryOnFailure,
	violatedConstraint,
} from "./failure";
export { type FollowedClock, followClock } from "./follow-clock";
export { watchHungSessions } from "./hung-sessions";
export { toJsonText } from "./json-text";
export { LOCKS, lockNameOf, tryLock } from "./locks";
export { checkMigrated, DatabaseTooNewError, DatabaseTooOldError, findApplied, migrate } from "./migrate";
export { findServiceUrl, type PreparedDatabase, prepareDatabase } from "./prepare";
export { DatabaseRoleError } from "./service-role";
export { mayWaitOutside } from "./wait-outside";
export { type DatabaseWatch, watchDatabase } from "./watch";
export { WRITTEN_ONCE } from "./written-once";
