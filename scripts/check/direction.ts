/**
 * Which folder of `src` may use which: the one table. A folder uses only what stands above it here, so no circle can be
 * written. `authority/simulator` counts as a folder of its own: it is a program beside the service and shares only values
 * with it, so that the service's signer and client are judged by another implementation.
 */

const base = ["problem", "telemetry", "values"] as const;

/** The files directly in `src` that start the service and its threads; they know everything, and nobody knows them. */
export const ROOT = "(root)";

export const direction: Readonly<Record<string, readonly string[]>> = {
	problem: [],
	telemetry: [],
	values: [],
	xml: ["values"],
	secrets: [],
	database: base,
	"worker-pool": base,
	operation: base,
	audit: ["operation", "database", ...base],
	limits: ["operation", "database", ...base],
	usage: ["operation", "database", ...base],
	outbox: ["database", ...base],
	mail: base,
	changelog: ["mail", "outbox", "operation", "database", ...base],
	archive: ["database", ...base],
	egress: ["database", ...base],
	idempotency: ["operation", "database", "problem", "values"],
	access: ["audit", "idempotency", "operation", "secrets", "database", ...base],
	registry: ["limits", "audit", "operation", "secrets", "database", ...base],
	signing: ["worker-pool", "secrets", "xml", ...base],
	verification: ["signing", "xml"],
	authority: ["operation", "signing", "xml", ...base],
	"authority/simulator": ["values"],
	endpoints: ["limits", "idempotency", "egress", "secrets", "operation", "database", ...base],
	companies: [
		"audit",
		"endpoints",
		"registry",
		"access",
		"idempotency",
		"egress",
		"signing",
		"secrets",
		"operation",
		"database",
		...base,
	],
	webhooks: ["endpoints", "companies", "egress", "outbox", "idempotency", "secrets", "operation", "database", ...base],
	sequences: [
		"companies",
		"signing",
		"authority",
		"outbox",
		"webhooks",
		"idempotency",
		"operation",
		"database",
		...base,
	],
	invoices: [
		"limits",
		"companies",
		"sequences",
		"signing",
		"authority",
		"archive",
		"outbox",
		"webhooks",
		"access",
		"idempotency",
		"registry",
		"secrets",
		"operation",
		"worker-pool",
		"database",
		...base,
	],
	certification: [
		"invoices",
		"companies",
		"signing",
		"authority",
		"archive",
		"outbox",
		"webhooks",
		"idempotency",
		"operation",
		"database",
		...base,
	],
	sandbox: [
		"certification",
		"invoices",
		"companies",
		"endpoints",
		"archive",
		"access",
		"idempotency",
		"outbox",
		"operation",
		"database",
		...base,
	],
};

/** The rim and the root files use every folder above them. */
export const usesEverything: readonly string[] = ["http", ROOT];
