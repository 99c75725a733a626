/** What the operator can set: one schema, read once from the environment, all faults reported together. */
import { join, resolve } from "node:path";
import { readArchive } from "../../archive/settings";
import type { EngineChoice } from "../../ecf/signing/settings";
import type { CounterpartyAuthentication } from "../../exchange/reception/settings";
import type { Provider } from "../../invoicing/certification";
import { readProvider } from "../../invoicing/certification/settings";
import { ENVIRONMENTS, type Environment } from "../../platform/values";
import { openVariables } from "./env-reader";
import * as areas from "./sections";

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
	readonly databaseRights: areas.DatabaseRights;
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
	readonly receiverAuthentication: CounterpartyAuthentication;
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

const LOG_LEVELS = ["trace", "debug", "info", "warn", "error", "fatal", "silent"] as const;
const ROLES = ["all", "api", "worker", "registry"] as const;

/** Reads and checks the environment. Throws: ConfigError. */
export async function readConfig(env: Readonly<Record<string, string | undefined>>, cores: number): Promise<Config> {
	const variables = openVariables(env);
	const { text, oneOf, expected, fault, faults } = variables;
	const environment = oneOf("ENVIRONMENT", ENVIRONMENTS, "sandbox");
	const dataDir = resolve(text("DATA_DIR") ?? "./.data");
	const config: Config = {
		environment,
		role: oneOf("ROLE", ROLES, "all"),
		logLevel: oneOf("LOG_LEVEL", LOG_LEVELS, "info"),
		dataDir,
		...areas.readListener(variables),
		...areas.readDatabase(variables, environment),
		...areas.readAuthority(variables, environment),
		...(await areas.readTrust(variables, environment)),
		...areas.readRegistry(variables),
		archiveUrl: readArchive(env, environment, join(dataDir, "archive"), fault),
		archiveSweep: oneOf("ARCHIVE_SWEEP", ["on", "off"], "off") === "on",
		exportsDir: resolve(text("EXPORTS_DIR") ?? join(dataDir, "exports")),
		...areas.readSigning(variables, cores),
		...areas.readSubmission(variables, environment),
		...areas.readWebhooks(variables, environment),
		...areas.readMail(variables),
		...areas.readReception(variables),
		provider: readProvider(env, environment, expected),
	};
	if (faults.length > 0) throw new ConfigError(faults);
	return config;
}
