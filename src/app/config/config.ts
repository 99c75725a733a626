/** The service's settings, and what is derived from them: the log's view of them, warnings for the operator, and the connection budget. */
import { join } from "node:path";
import type { EngineChoice } from "../../ecf/signing/settings";
import type { CounterpartyAuthentication } from "../../exchange/reception/settings";
import type { SsoSettings } from "../../identity/sso";
import type { Provider } from "../../invoicing/certification";
import type { Language } from "../../platform/problem";
import type { LogFormat, TracingSettings } from "../../platform/telemetry";
import { type Environment, isSandbox } from "../../platform/values";

export const REGISTRY_PAGES = ["off", "companies", "all"] as const;
export const MCP_ISSUES = ["approve", "direct"] as const;
export const ROLES = ["all", "api", "worker", "registry", "edge"] as const;
const PORT_SHARING = ["alone", "first", "beside"] as const;
export const DURABILITIES = ["replicated", "single"] as const;
export const DURABILITY_LOSSES = ["alarm", "refuse"] as const;
export const DATABASE_RIGHTS = ["strict", "lenient"] as const;
export const DATABASE_ENGINES = ["auto", "postgres", "citus"] as const;
export const LANES = ["auto", "thread", "shard"] as const;

/** The default registry: a sample of invented taxpayers. */
export const SAMPLE_REGISTRY = join(import.meta.dir, "../../../data/registry/sample.zip");

export type Config = {
	readonly port: number;
	readonly host: string;
	/** Port of the private `/metrics` listener; absent: there is none. */
	readonly metricsPort: number | undefined;
	readonly baseUrl: string | undefined;
	/** Whether people may use the console, where its address allows it. */
	readonly isConsoleOn: boolean;
	/** Address of the console; absent: the base address, with a name in place of this machine's addresses. */
	readonly consoleUrl: string | undefined;
	/** The identity provider where people may sign in to the console. */
	readonly sso: SsoSettings | undefined;
	readonly environment: Environment;
	readonly dataDir: string;
	/** Absent: the embedded server is used. */
	readonly databaseUrl: string | undefined;
	/** Address with the login that owns the tables and migrates; absent: `databaseUrl` is used. */
	readonly databaseMigrationUrl: string | undefined;
	/** Whether `databaseUrl` leads through a pooler that gives connections to transactions. */
	readonly isDatabasePooled: boolean;
	/** The same login past the pooler; present with a pooler alone. */
	readonly databaseDirectUrl: string | undefined;
	/** What the database is; `auto` looks whether it has the extension Citus. */
	readonly databaseEngine: (typeof DATABASE_ENGINES)[number];
	/** Whether a batch holds documents of all shards of a thread, or of one; `auto`: of one on Citus. */
	readonly lanes: (typeof LANES)[number];
	/** Address of a replica on which lists and reports are read; absent: the primary has all reads. */
	readonly databaseReadUrl: string | undefined;
	/** Whether a login that could change write-once rows is refused (`strict`) or only reported. */
	readonly databaseRights: (typeof DATABASE_RIGHTS)[number];
	/** Whether the start is refused unless a synchronous standby confirms commits (`replicated`). */
	readonly durability: (typeof DURABILITIES)[number];
	/** Whether issuing goes on without the standby (`alarm`). */
	readonly durabilityOnLoss: (typeof DURABILITY_LOSSES)[number];
	/** Absent: the simulator is used, in the sandboxes only. */
	readonly authorityUrls: { readonly main: string; readonly fc: string; readonly status: string } | undefined;
	/** The authority's key for its status host; absent: the host is not queried. */
	readonly authorityStatusKey: string | undefined;
	/** Seconds between two probes of the authority while it is operational. */
	readonly authorityProbeSeconds: number;
	/** Missing settings whose defaults suit a trial only, each with the consequence. */
	readonly trialDefaults: readonly string[];
	readonly registrySource: string;
	readonly registrySchedule: string;
	/** Whether the public search page exists, and whether it finds natural persons by name. */
	readonly registryPage: (typeof REGISTRY_PAGES)[number];
	/** Sites whose pages may call `/v1`; `*` is all. */
	readonly corsOrigins: readonly string[];
	/** Of the documentation, for readers whose browser prefers neither language. */
	readonly docsLanguage: Language;
	/** How long known keys may look up while the database is away. */
	readonly registryGraceSeconds: number;
	/** Folder or `s3://bucket/prefix` of the fleet's files of the registry; absent: each host builds its own. */
	readonly registryStore: string | undefined;
	/** How agents are served; absent: they are not. */
	readonly mcp: { readonly issuesAtOnce: boolean } | undefined;
	/** Whether a shared cache is in front of the service. */
	readonly isBehindCdn: boolean;
	/** Complete address of the archive, as `writeAddress` formats it. */
	readonly archiveUrl: string;
	/** Whether archive objects are deleted once their retention ends. */
	readonly archiveSweep: boolean;
	/** Folder of archive exports until they expire; all machines of a deployment share it. */
	readonly exportsDir: string;
	/** Absent: the service creates one in the data directory. */
	readonly kekFile: string | undefined;
	/** Absent: the service checks the integrity of received documents but not their signers' trust. */
	readonly trustedCaFile: string | undefined;
	/** Addresses and ranges of the proxies whose `X-Forwarded-For` is trusted. */
	readonly trustedProxies: readonly string[];
	/** Addresses and ranges that find the operations for operators. */
	readonly operatorNetworks: readonly string[];
	readonly role: (typeof ROLES)[number];
	readonly processes: number;
	/**
	 * `alone`: nothing else may hold the port. `first`: as `alone`, and other processes of this service may join later. `beside`: it is shared with
	 * processes that hold it already.
	 */
	readonly portSharing: (typeof PORT_SHARING)[number];
	/** Whether this start takes the port over from the process that holds it. */
	readonly isReplacing: boolean;
	readonly signThreads: number;
	/** RSA engine that signs; `auto` is OpenSSL if it is installed and passes its self-test. */
	readonly signEngine: EngineChoice;
	/** Maximum number of documents that wait for a signing thread; beyond it requests are refused. */
	readonly signQueueMax: number;
	/** Maximum seconds for one document, after which its thread counts as hung. */
	readonly signTimeoutSeconds: number;
	readonly submitThreads: number;
	readonly webhookAllow: ReadonlySet<string>;
	/** `address:port` of the name server that resolves webhook hosts; absent: the machine's resolver. */
	readonly webhookResolver: string | undefined;
	readonly webhookTimeScale: number;
	/** Retries after the first request of a delivery; 4 is the other reading of "5 attempts". */
	readonly webhookRetriesMax: number;
	/** Server for outgoing mail, with its password; `none`: no mail is sent; absent: mails are written to the data directory. */
	readonly smtpUrl: string | undefined;
	/** Sender of mails; absent: `no-reply` at the base URL's host. */
	readonly mailFrom: string | undefined;
	/** Whether peers need a token to send documents, as the authority's directory declares for this receiver. */
	readonly receiverAuthentication: CounterpartyAuthentication;
	/** Secret that signs the reports of mail servers; absent: reports are refused. */
	readonly mailHookSecret: string | undefined;
	readonly internalSlaSeconds: number;
	/** Seconds for which a lane may hold its shards, and a dispatcher a message, without renewing the lease. */
	readonly leaseSeconds: number;
	/** Whole days that a document's papers stay in the database. */
	readonly paperDays: number;
	/** Who provides the service. */
	readonly provider: Provider;
	readonly logLevel: string;
	readonly logFormat: LogFormat;
	/** Absent: no traces. */
	readonly tracing: Pick<TracingSettings, "endpoint" | "share"> | undefined;
};

/** How a setting appears in the log; `address` removes the login from a URL. */
type Disclosure = "shown" | "address" | "hidden";

/** Lists every setting, so that a new one does not compile until its author has decided whether it is a secret. */
const DISCLOSURE: { readonly [Name in keyof Config]: Disclosure } = {
	port: "shown",
	host: "shown",
	metricsPort: "shown",
	baseUrl: "address",
	isConsoleOn: "shown",
	consoleUrl: "address",
	sso: "shown",
	environment: "shown",
	dataDir: "shown",
	databaseUrl: "hidden",
	databaseMigrationUrl: "hidden",
	isDatabasePooled: "shown",
	databaseDirectUrl: "hidden",
	databaseReadUrl: "hidden",
	databaseEngine: "shown",
	lanes: "shown",
	databaseRights: "shown",
	durability: "shown",
	durabilityOnLoss: "shown",
	authorityUrls: "address",
	authorityStatusKey: "hidden",
	authorityProbeSeconds: "shown",
	trialDefaults: "shown",
	registrySource: "address",
	registrySchedule: "shown",
	registryPage: "shown",
	corsOrigins: "shown",
	docsLanguage: "shown",
	registryGraceSeconds: "shown",
	registryStore: "address",
	mcp: "shown",
	isBehindCdn: "shown",
	archiveUrl: "address",
	archiveSweep: "shown",
	exportsDir: "shown",
	kekFile: "shown",
	trustedCaFile: "shown",
	trustedProxies: "shown",
	operatorNetworks: "shown",
	role: "shown",
	processes: "shown",
	portSharing: "shown",
	isReplacing: "shown",
	signThreads: "shown",
	signEngine: "shown",
	signQueueMax: "shown",
	signTimeoutSeconds: "shown",
	submitThreads: "shown",
	webhookAllow: "shown",
	webhookResolver: "shown",
	webhookTimeScale: "shown",
	webhookRetriesMax: "shown",
	smtpUrl: "address",
	mailFrom: "shown",
	receiverAuthentication: "shown",
	mailHookSecret: "hidden",
	internalSlaSeconds: "shown",
	paperDays: "shown",
	leaseSeconds: "shown",
	provider: "shown",
	logLevel: "shown",
	logFormat: "shown",
	tracing: "address",
};

const SHOWN_WHEN_ABSENT: { readonly [Name in keyof Config]?: string } = {
	databaseUrl: "embedded",
	authorityUrls: "simulator",
	smtpUrl: "files",
	tracing: "off",
	mcp: "off",
};

/** The configuration for the log, with secrets hidden. */
export function describeConfig(config: Config): Record<string, unknown> {
	const names = Object.keys(DISCLOSURE) as (keyof Config)[];
	return Object.fromEntries(
		names.map((name) => [name, disclose(config[name], DISCLOSURE[name]) ?? SHOWN_WHEN_ABSENT[name]]),
	);
}

function disclose(value: Config[keyof Config], how: Disclosure): unknown {
	if (value === undefined) return undefined;
	if (how === "hidden") return "[hidden]";
	if (value instanceof Set) return [...value];
	if (how === "shown") return value;
	return typeof value === "object"
		? Object.fromEntries(Object.entries(value).map(([name, address]) => [name, hideLogin(String(address))]))
		: hideLogin(String(value));
}

function hideLogin(address: string): string {
	return address.replace(/\/\/[^/@]*@/, "//[hidden]@");
}

type Variables = Readonly<Record<string, string | undefined>>;

/**
 * Settings that are missing and whose defaults suit a trial only, by role: invented taxpayers, links to this machine, data beside the program.
 * Empty in the sandboxes.
 */
export function listTrialDefaults(
	env: Variables,
	{ environment, role }: Pick<Config, "environment" | "role">,
): string[] {
	if (isSandbox(environment)) return [];
	const missing: [name: string, isNeeded: boolean, consequence: string][] = [
		[
			"REGISTRY_SOURCE",
			role !== "worker" && role !== "edge",
			"look-ups would answer from a sample of invented taxpayers",
		],
		["BASE_URL", true, "links in answers, documents and mails would only work on this machine"],
		["DATABASE_URL", role !== "edge", "data would be in a PostgreSQL server beside the program"],
		["ARCHIVE_URL", role !== "registry" && role !== "edge", "the archive would be a folder beside the program"],
		["SMTP_URL", role === "all" || role === "worker", "mails would be files; `none` sends no mail"],
	];
	return missing
		.filter(([name, isNeeded]) => isNeeded && !env[name])
		.map(([name, , consequence]) => `${name} is not set: ${consequence}`);
}

/** Passkeys need a name: a loopback address becomes `localhost`. */
export function toConsoleUrl(baseUrl: string): string {
	return baseUrl.replace(/^(https?:\/\/)(?:127(?:\.\d+){3}|\[::1\])(?=[:/]|$)/, "$1localhost");
}

/** Connections to PostgreSQL of each pool. The sum per deployment is in data/docs/en/database.md. */
export const API_CONNECTIONS = 8;
/** For credentials: see `components.ts`. */
export const DIRECTORY_CONNECTIONS = 2;
/** For the work of one submitting thread. */
export const DISPATCH_CONNECTIONS = 5;
const PROCESS_LISTENS = 1;
/** One checks that the server answers, one looks for hung sessions. */
const PROCESS_WATCHES = 2;

type Size = Pick<Config, "role" | "processes" | "submitThreads">;

/** Maximum number of connections of this process and all that it starts. */
export function countConnections({ role, processes, submitThreads }: Size): number {
	const each = API_CONNECTIONS + DIRECTORY_CONNECTIONS + PROCESS_LISTENS + PROCESS_WATCHES;
	const threads = role === "all" || role === "worker" ? submitThreads : 0;
	return (role === "worker" ? 1 : processes) * each + threads * DISPATCH_CONNECTIONS;
}

/** A warning when the server allows fewer connections than that: under load some requests would be answered with 503. */
export function warnOfFewConnections(size: Size, allowed: number): string[] {
	const wanted = countConnections(size);
	if (allowed >= wanted) return [];
	return [
		`the login of DATABASE_URL may open ${allowed} connections, and this service may need ${wanted}: raise max_connections or the login's limit, or lower PROCESSES or SUBMIT_THREADS`,
	];
}
