/** Why the service did not start, for its operator: a sentence where it can be repaired, the whole error where it cannot. */
import { ConfigError } from "./config";
import { codeOf, DatabaseRoleError, DatabaseTooNewError, DataDirHeldError, isConnectionFailure } from "./database";
import { MetricsPortTakenError } from "./metrics-listener";
import { SealedSecretError } from "./secrets";

const PLAIN = [
	ConfigError,
	DataDirHeldError,
	DatabaseRoleError,
	DatabaseTooNewError,
	MetricsPortTakenError,
	SealedSecretError,
];

export function explainFailure(error: unknown): unknown {
	if (error instanceof Error && PLAIN.some((kind) => error instanceof kind)) return error.message;
	const code = codeOf(error);
	const message = error instanceof Error ? error.message : String(error);
	if (code === "EADDRINUSE") return "the port is in use: set PORT to another one";
	const isMissingFolder = code === "ENOENT" && (error as { syscall?: string }).syscall === "mkdir";
	if (isMissingFolder || code === "EACCES" || code === "EROFS" || code === "EPERM")
		return `DATA_DIR cannot be written: ${message}`;
	if (isConnectionFailure(error) || code === "ENOTFOUND" || code.startsWith("28") || code === "3D000") {
		return `the database of DATABASE_URL cannot be used: ${message}`;
	}
	return error;
}
