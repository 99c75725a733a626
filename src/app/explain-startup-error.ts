/** Why the service did not start, for its operator: a sentence where it can be repaired, the whole error where it cannot. */
import { ArchiveContradictionError, UnsafeBucketError } from "../archive";
import {
	codeOf,
	DatabaseEnvironmentError,
	DatabaseInUseError,
	DatabaseRoleError,
	DatabaseTooNewError,
	DatabaseTooOldError,
	DataDirHeldError,
	EmbeddedServerError,
	isConnectionFailure,
	isServerUnable,
} from "../platform/database";
import { KekFileError, SealedSecretError } from "../platform/secrets";
import { ConfigError } from "./config/config";
import { ListenError } from "./listeners/listen-error";

const PLAIN = [
	ArchiveContradictionError,
	ConfigError,
	DataDirHeldError,
	DatabaseEnvironmentError,
	DatabaseInUseError,
	DatabaseRoleError,
	DatabaseTooNewError,
	DatabaseTooOldError,
	EmbeddedServerError,
	ListenError,
	SealedSecretError,
	UnsafeBucketError,
];
/** What a file system says of a path at which nothing can be kept. */
const UNWRITABLE = ["EACCES", "EDQUOT", "EEXIST", "ENOSPC", "ENOTDIR", "EPERM", "EROFS"];

export function explainFailure(error: unknown): unknown {
	if (error instanceof Error && PLAIN.some((kind) => error instanceof kind)) return error.message;
	// Which of the two names the file depends on which is set; an operator of a database elsewhere may have set neither.
	if (error instanceof KekFileError) return `${error.message}; see KEK_FILE and DATA_DIR`;
	const code = codeOf(error);
	const message = error instanceof Error ? error.message : String(error);
	const { syscall, path } = error as { syscall?: unknown; path?: unknown };
	const isMissingFolder = code === "ENOENT" && syscall === "mkdir";
	// A write to a file that is open does not say which one it was.
	const isPlace =
		typeof path === "string" || (typeof syscall === "string" && /^(?:write|fsync|fdatasync)/.test(syscall));
	if (isPlace && (isMissingFolder || UNWRITABLE.includes(code))) {
		return `a place of DATA_DIR or ARCHIVE_URL cannot be written: ${message}`;
	}
	// The server ends a connection with these alone: a password, a database, a role or a setting of the address.
	const isFatal = (error as { severity?: unknown }).severity === "FATAL";
	if (isServerUnable(error)) return `the database cannot do its work: ${message}`;
	if (isConnectionFailure(error) || code === "ENOTFOUND" || isFatal) {
		return `the database of DATABASE_URL cannot be used: ${message}`;
	}
	return error;
}
