/** Explains to the operator why the service did not start: one sentence if the operator can fix it, the whole error otherwise. */
import { ArchiveContradictionError, ForeignStoreError, UnsafeBucketError } from "../archive";
import {
	codeOf,
	DatabaseBaselineError,
	DatabaseEngineError,
	DatabaseEnvironmentError,
	DatabaseInUseError,
	DatabaseRoleError,
	DatabaseTooNewError,
	DatabaseTooOldError,
	DataDirLockedError,
	EmbeddedServerError,
	isConnectionFailure,
	isServerUnable,
	settingOf,
	UnreplicatedError,
} from "../platform/database";
import { DeploymentSettingsError } from "../platform/fleet";
import { KekFileError, SealedSecretError } from "../platform/secrets";
import { ConfigError } from "./config/read-config";
import { ListenError } from "./listeners/listeners";
import { ReplaceError } from "./process/former-process";

/** Their messages are written for the operator. */
const SELF_EXPLAINING = [
	ArchiveContradictionError,
	ConfigError,
	DataDirLockedError,
	DatabaseBaselineError,
	DatabaseEngineError,
	DatabaseEnvironmentError,
	DatabaseInUseError,
	DatabaseRoleError,
	DatabaseTooNewError,
	DatabaseTooOldError,
	DeploymentSettingsError,
	EmbeddedServerError,
	ForeignStoreError,
	ListenError,
	ReplaceError,
	SealedSecretError,
	UnreplicatedError,
	UnsafeBucketError,
];
/** File system errors of a path that cannot be written. */
const UNWRITABLE = ["EACCES", "EDQUOT", "EEXIST", "ENOSPC", "ENOTDIR", "EPERM", "EROFS"];

export function explainStartupError(error: unknown): unknown {
	if (error instanceof Error && SELF_EXPLAINING.some((kind) => error instanceof kind)) return error.message;
	// The file comes from KEK_FILE or DATA_DIR; the operator may have set neither.
	if (error instanceof KekFileError) return `${error.message}; check KEK_FILE and DATA_DIR`;
	const code = codeOf(error);
	const message = error instanceof Error ? error.message : String(error);
	const { syscall, path } = error as { syscall?: unknown; path?: unknown };
	const isMissingFolder = code === "ENOENT" && syscall === "mkdir";
	// An error of writing to an open file does not name the file.
	const isFileError =
		typeof path === "string" || (typeof syscall === "string" && /^(?:write|fsync|fdatasync)/.test(syscall));
	if (isFileError && (isMissingFolder || UNWRITABLE.includes(code))) {
		return `a path of DATA_DIR or ARCHIVE_URL cannot be written: ${message}`;
	}
	// FATAL ends a connection: wrong password, database, role, or setting of the address.
	const isFatal = (error as { severity?: unknown }).severity === "FATAL";
	if (isServerUnable(error)) return `the database server cannot work: ${message}`;
	if (isConnectionFailure(error) || code === "ENOTFOUND" || isFatal) {
		return `cannot connect to the database of ${settingOf(error)}: ${message}`;
	}
	return error;
}
