/** Names for the ways in which a POST can end without a whole answer; stored, shown to the tenant, and stable. */
export type PostError =
	| "blocked-address"
	| "dns-error"
	| "timeout"
	| "connection-refused"
	| "connection-reset"
	| "connection-failed"
	| "tls-error"
	| "malformed-response"
	| "too-large";

/** How far the request had come. */
export type Stage = "connect" | "handshake" | "answer";

const byCode: Readonly<Record<string, PostError>> = {
	ECONNREFUSED: "connection-refused",
	ECONNRESET: "connection-reset",
	ECONNABORTED: "connection-reset",
	EPIPE: "connection-reset",
	ETIMEDOUT: "timeout",
	HPE_HEADER_OVERFLOW: "too-large",
};

/** The name of a socket's, TLS's or parser's error. */
export function nameError(error: unknown, stage: Stage): PostError {
	const code = (error as { code?: unknown } | null)?.code;
	if (typeof code === "string") {
		const known = byCode[code];
		if (known) return known;
		if (code.startsWith("HPE_")) return "malformed-response";
		if (code.startsWith("ERR_TLS") || code.startsWith("ERR_SSL")) return "tls-error";
	}
	// The certificate's faults come as dozens of codes, all while hands are shaken.
	return stage === "handshake" ? "tls-error" : "connection-failed";
}
