/** What the operator can set: one schema, read once from the environment, all faults reported together. */
import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { Cron } from "croner";
import { readArchive } from "./archive/settings";
import type { Provider } from "./certification";
import { readProvider } from "./certification/settings";
import { parseAddress } from "./egress";
import { isMailAddress } from "./mail";
import { PEER_AUTHENTICATION, type PeerAuthentication } from "./reception/settings";
import { readKek } from "./secrets";
import { ENGINE_CHOICES, type EngineChoice } from "./signing/settings";
import { ENVIRONMENTS, type Environment, isSandbox, parseRange } from "./values";

export type Role = "all" | "api" | "worker" | "registry";

export type Config = {
	readonly port: number;
	readonly host: string;
	/** Port of the private listener for `/metrics`; absent: none. */
	readonly metricsPort: number | undefined;
	readonly baseUrl: string | undefined;
	readonly environment: Environment;
	readonly dataDir: string;
	/** Absent: the embedded server. */
	readonly databaseUrl: string | undefined;
	/** Of the login that owns the tables and migrates; absent: the database's own. */
	readonly databaseMigrationUrl: string | undefined;
	/** Whether a role that may change what is written once is refused or told. */
	readonly databaseRights: DatabaseRights;
	/** Absent: the simulator, in the sandboxes only. */
	readonly authorityUrls: { readonly main: string; readonly fc: string; readonly status: string } | undefined;
	/** The authority's key for its status host; absent: it tells nothing. */
	readonly authorityStatusKey: string | undefined;
	/** Between two signs of life of the authority while all is well. */
	readonly authorityProbeSeconds: number;
	readonly registrySource: string;
	readonly registrySchedule: string;
	/** With all that opening it takes, as `writeAddress` writes it. */
	readonly archiveUrl: string;
	/** Objects of the archive are removed when their time is over. */
	readonly archiveSweep: boolean;
	/** Where exports of the archive lie until they expire; one folder for all machines of a deployment. */
	readonly exportsDir: string;
	/** Absent: made in the data directory. */
	readonly kekFile: string | undefined;
	/** Absent: of documents from outside integrity alone is known. */
	readonly trustedCaFile: string | undefined;
	/** Addresses and ranges of the proxies whose `X-Forwarded-For` is believed. */
	readonly trustedProxies: readonly string[];
	readonly role: Role;
	readonly processes: number;
	/** The port may be shared with other processes of this service; set by the service for its own children. */
	readonly reusePort: boolean;
	readonly signThreads: number;
	/** Which RSA engine signs; `auto` is OpenSSL where it is there and proves itself. */
	readonly signEngine: EngineChoice;
	/** Most documents that wait for a signing thread; beyond it requests are refused. */
	readonly signQueueMax: number;
	/** Longest time for one document, after which its thread is taken for hung. */
	readonly signTimeoutSeconds: number;
	readonly submitThreads: number;
	readonly webhookAllow: ReadonlySet<string>;
	/** `address:port` of the name server that is asked for the hosts of webhooks; absent: the machine's own resolver. */
	readonly webhookResolver: string | undefined;
	readonly webhookTimeScale: number;
	/** Retries after the first request of a delivery; 4 gives the other reading of "5 attempts". */
	readonly webhookRetriesMax: number;
	/** Server of outgoing mail, with its password; absent: files in the data directory. */
	readonly smtpUrl: string | undefined;
	/** Sender of mails; absent: `no-reply` at the host of the base URL. */
	readonly mailFrom: string | undefined;
	/** Whether peers need a token to send documents, as the authority's directory says of this receiver. */
	readonly receiverAuthentication: PeerAuthentication;
	/** What signs the reports of mail servers; absent: none are taken. */
	readonly mailHookSecret: string | undefined;
	readonly internalSlaSeconds: number;
	/** How long a dispatcher may keep a message without a sign of life. */
	readonly leaseSeconds: number;
	/** Who provides the service. */
	readonly provider: Provider;
	readonly logLevel: string;
};

/** The configuration cannot be used; the message lists every fault, one a line. */
export class ConfigError extends Error {
	constructor(readonly faults: readonly string[]) {
		super(`the configuration has ${faults.length} fault(s):\n${faults.map((fault) => `  ${fault}`).join("\n")}`);
		this.name = "ConfigError";
	}
}

const DATABASE_RIGHTS = ["strict", "lenient"] as const;
export type DatabaseRights = (typeof DATABASE_RIGHTS)[number];

const LOG_LEVELS = ["trace", "debug", "info", "warn", "error", "fatal", "silent"] as const;
const ROLES = ["all", "api", "worker", "registry"] as const;
const SAMPLE = join(import.meta.dir, "../data/registry/sample.zip");

/** Reads and checks the environment. Throws: ConfigError. */
export async function readConfig(env: Readonly<Record<string, string | undefined>>, cores: number): Promise<Config> {
	const faults: string[] = [];
	const expected = (name: string, what: string) =>
		faults.push(`expected ${name} to be ${what}, got ${JSON.stringify(env[name])}`);
	const text = (name: string) => (env[name] === undefined || env[name] === "" ? undefined : env[name]);

	function integer(name: string, low: number, high: number, otherwise: number): number {
		const value = text(name);
		if (value === undefined) return otherwise;
		if (/^\d{1,9}$/.test(value) && Number(value) >= low && Number(value) <= high) return Number(value);
		expected(name, `${low}–${high}`);
		return otherwise;
	}
	function number(name: string, low: number, high: number, otherwise: number): number {
		const value = text(name);
		if (value === undefined) return otherwise;
		if (/^\d+(\.\d+)?$/.test(value) && Number(value) >= low && Number(value) <= high) return Number(value);
		expected(name, `a number from ${low} to ${high}`);
		return otherwise;
	}
	function oneOf<T extends string>(name: string, values: readonly T[], otherwise: T): T {
		const value = text(name);
		if (value === undefined) return otherwise;
		const found = values.find((v) => v === value);
		if (!found) expected(name, values.join(", "));
		return found ?? otherwise;
	}
	function url(name: string, protocols: readonly string[]): string | undefined {
		const value = text(name);
		if (value === undefined) return undefined;
		if (URL.canParse(value) && protocols.includes(new URL(value).protocol)) return value.replace(/\/+$/, "");
		// The value may hold a password, so it is not repeated.
		faults.push(`expected ${name} to be a URL with ${protocols.join(" or ")}`);
		return undefined;
	}

	const environment = oneOf("ENVIRONMENT", ENVIRONMENTS, "sandbox");
	const isProduction = environment === "production";
	const dataDir = resolve(text("DATA_DIR") ?? "./.data");
	const main = url("AUTHORITY_URL", ["http:", "https:"]);
	if (main === undefined && text("AUTHORITY_URL") === undefined && !isSandbox(environment)) {
		faults.push(`AUTHORITY_URL must be set in ${environment}: the simulator runs in the sandboxes only`);
	}
	const databaseUrl = url("DATABASE_URL", ["postgres:", "postgresql:"]);
	const databaseMigrationUrl = url("DATABASE_MIGRATION_URL", ["postgres:", "postgresql:"]);
	if (databaseMigrationUrl !== undefined && text("DATABASE_URL") === undefined)
		faults.push("DATABASE_MIGRATION_URL goes with DATABASE_URL, which is not set");
	const fc = url("AUTHORITY_FC_URL", ["http:", "https:"]);
	const status = url("AUTHORITY_STATUS_URL", ["http:", "https:"]);
	if (main === undefined && text("AUTHORITY_URL") === undefined && (fc ?? status) !== undefined) {
		faults.push("AUTHORITY_FC_URL and AUTHORITY_STATUS_URL go with AUTHORITY_URL, which is not set");
	}
	const statusKey = text("AUTHORITY_STATUS_KEY");
	// Like a password: what was sent is not repeated.
	if (statusKey !== undefined && !/^[\x21-\x7e]{1,500}$/.test(statusKey))
		faults.push("expected AUTHORITY_STATUS_KEY to be a key that can stand in a header");
	const kekFile = text("KEK_FILE");
	if (kekFile !== undefined && !holdsKek(kekFile))
		faults.push(`expected KEK_FILE to name a file of 32 bytes in base64, got ${JSON.stringify(kekFile)}`);
	if (isProduction && kekFile === undefined)
		faults.push("KEK_FILE must be set in production: a made key would live beside the data");
	const trustedCaFile = text("TRUSTED_CA_FILE");
	const bundleFault = trustedCaFile === undefined ? undefined : await findBundleFault(trustedCaFile);
	if (bundleFault !== undefined)
		faults.push(`expected TRUSTED_CA_FILE to name a PEM bundle of certificate authorities: ${bundleFault}`);
	if (isProduction && trustedCaFile === undefined)
		faults.push("TRUSTED_CA_FILE must be set in production: without it nobody who signs is trusted");
	const trustedProxies = (text("TRUSTED_PROXIES") ?? "").split(/[\s,]+/).filter(Boolean);
	for (const entry of trustedProxies.filter((one) => !parseRange(one))) {
		faults.push(`expected TRUSTED_PROXIES to list addresses and CIDR ranges, got ${JSON.stringify(entry)}`);
	}
	const allow = readAllowList(text("WEBHOOK_ALLOW"), (entry) =>
		faults.push(`expected WEBHOOK_ALLOW to list host:port, got ${JSON.stringify(entry)}`),
	);
	if (isProduction && allow.size > 0) faults.push("WEBHOOK_ALLOW must be empty in production");
	const webhookResolver = text("WEBHOOK_RESOLVER");
	if (webhookResolver !== undefined && !isSocketAddress(webhookResolver)) expected("WEBHOOK_RESOLVER", "address:port");
	if (isProduction && webhookResolver !== undefined) faults.push("WEBHOOK_RESOLVER must not be set in production");
	const webhookTimeScale = number("WEBHOOK_TIME_SCALE", 0.0001, 100, 1);
	if (isProduction && webhookTimeScale !== 1) faults.push("WEBHOOK_TIME_SCALE must be 1 in production");
	const registrySchedule = text("REGISTRY_SCHEDULE") ?? "0 4 * * *";
	if (!isCronPattern(registrySchedule)) expected("REGISTRY_SCHEDULE", "a cron pattern");
	const archiveUrl = readArchive(env, environment, join(dataDir, "archive"), (fault) => faults.push(fault));
	const registrySource = text("REGISTRY_SOURCE") ?? SAMPLE;
	if (!/^https?:/.test(registrySource) && !existsSync(registrySource)) {
		faults.push(
			`expected REGISTRY_SOURCE to be an address or a file that is there, got ${JSON.stringify(registrySource)}`,
		);
	}
	const mailFrom = text("MAIL_FROM");
	if (mailFrom !== undefined && !isMailAddress(mailFrom)) expected("MAIL_FROM", "a plain mail address");
	const mailHookSecret = text("MAIL_HOOK_SECRET");
	// The value is a secret, so it is not repeated.
	if (mailHookSecret !== undefined && !/^[!-~]{32,200}$/.test(mailHookSecret))
		faults.push("expected MAIL_HOOK_SECRET to be 32 to 200 printable characters without spaces");
	const host = text("HOST") ?? "127.0.0.1";
	if (!/^[A-Za-z0-9.:_-]+$/.test(host)) expected("HOST", "an address or a host name");

	const processes = integer("PROCESSES", 1, 256, 1);
	const config: Config = {
		port: integer("PORT", 0, 65_535, 3_000),
		host,
		metricsPort: text("METRICS_PORT") === undefined ? undefined : integer("METRICS_PORT", 0, 65_535, 0),
		baseUrl: url("BASE_URL", ["http:", "https:"]),
		environment,
		dataDir,
		databaseUrl,
		databaseMigrationUrl,
		// Gap: where a server's only login owns its database, production starts with a word of its operator's.
		databaseRights: oneOf("DATABASE_RIGHTS", DATABASE_RIGHTS, isProduction ? "strict" : "lenient"),
		authorityUrls: main === undefined ? undefined : { main, fc: fc ?? main, status: status ?? main },
		authorityStatusKey: statusKey,
		// The simulator is ours to ask, and a sandbox without traffic is to tell within seconds as well.
		authorityProbeSeconds: integer("AUTHORITY_PROBE_SECONDS", 1, 3_600, isSandbox(environment) ? 2 : 60),
		registrySource,
		registrySchedule,
		archiveUrl,
		archiveSweep: oneOf("ARCHIVE_SWEEP", ["on", "off"], "off") === "on",
		exportsDir: resolve(text("EXPORTS_DIR") ?? join(dataDir, "exports")),
		kekFile,
		trustedCaFile,
		trustedProxies,
		role: oneOf("ROLE", ROLES, "all"),
		processes,
		reusePort: processes > 1 || text("REUSE_PORT") === "1",
		signThreads: integer("SIGN_THREADS", 1, 256, cores),
		signEngine: oneOf("SIGN_ENGINE", ENGINE_CHOICES, "auto"),
		signQueueMax: integer("SIGN_QUEUE_MAX", 1, 1_000_000, 2_000),
		signTimeoutSeconds: integer("SIGN_TIMEOUT_SECONDS", 1, 600, 15),
		submitThreads: integer("SUBMIT_THREADS", 1, 64, 1),
		webhookAllow: allow,
		webhookResolver,
		webhookTimeScale,
		webhookRetriesMax: integer("WEBHOOK_MAX_RETRIES", 0, 5, 5),
		smtpUrl: url("SMTP_URL", ["smtp:", "smtps:"]),
		mailFrom,
		receiverAuthentication: oneOf("RECEIVER_AUTHENTICATION", PEER_AUTHENTICATION, "required"),
		mailHookSecret,
		internalSlaSeconds: integer("INTERNAL_SLA_SECONDS", 1, 604_800, isSandbox(environment) ? 60 : 14_400),
		leaseSeconds: integer("OUTBOX_LEASE_SECONDS", 1, 300, 15),
		provider: readProvider(env, environment, expected),
		logLevel: oneOf("LOG_LEVEL", LOG_LEVELS, "info"),
	};
	if (faults.length > 0) throw new ConfigError(faults);
	return config;
}

function holdsKek(path: string): boolean {
	try {
		return readKek(path).length > 0;
	} catch {
		// Whatever is wrong with it, the fault names the file.
		return false;
	}
}

/** What reads certificates is large, so it is loaded only where there is a bundle. */
async function findBundleFault(path: string): Promise<string | undefined> {
	const { readTrustedAuthorities } = await import("./verification");
	try {
		readTrustedAuthorities(path);
		return undefined;
	} catch (error) {
		return error instanceof Error ? error.message : String(error);
	}
}

function isSocketAddress(text: string): boolean {
	const [, address = "", port] = /^\[?([0-9a-fA-F:.]+?)\]?:(\d{1,5})$/.exec(text) ?? [];
	return parseAddress(address) !== undefined && Number(port) >= 1 && Number(port) <= 65_535;
}

function isCronPattern(pattern: string): boolean {
	try {
		return new Cron(pattern, { paused: true }).nextRun() !== null;
	} catch {
		return false;
	}
}

function readAllowList(text: string | undefined, bad: (entry: string) => void): Set<string> {
	const entries = (text ?? "").split(/[\s,]+/).filter(Boolean);
	for (const entry of entries) {
		const port = /^[^\s/@]+:(\d{1,5})$/.exec(entry)?.[1];
		if (port === undefined || Number(port) < 1 || Number(port) > 65_535) bad(entry);
	}
	return new Set(entries.map((entry) => entry.toLowerCase()));
}

/** The configuration for the log, secrets hidden. */
export function describeConfig(config: Config): Record<string, unknown> {
	return {
		...config,
		databaseUrl: config.databaseUrl === undefined ? "embedded" : "[hidden]",
		databaseMigrationUrl: config.databaseMigrationUrl === undefined ? undefined : "[hidden]",
		smtpUrl: config.smtpUrl === undefined ? "files" : hidePassword(config.smtpUrl),
		mailHookSecret: config.mailHookSecret === undefined ? undefined : "[hidden]",
		authorityUrls: config.authorityUrls
			? Object.fromEntries(Object.entries(config.authorityUrls).map(([name, address]) => [name, hidePassword(address)]))
			: "simulator",
		authorityStatusKey: config.authorityStatusKey === undefined ? undefined : "[hidden]",
		baseUrl: config.baseUrl === undefined ? undefined : hidePassword(config.baseUrl),
		registrySource: hidePassword(config.registrySource),
		webhookAllow: [...config.webhookAllow],
	};
}

function hidePassword(address: string): string {
	return address.replace(/\/\/[^/@]*@/, "//[hidden]@");
}
