/** Reads the configuration from the environment, setting by setting, and reports all errors together. */
import { existsSync, statSync } from "node:fs";
import { join, resolve } from "node:path";
import { Cron } from "croner";
import { readArchive } from "../../archive/settings";
import { ENGINE_CHOICES } from "../../ecf/signing/settings";
import { PEER_AUTHENTICATION } from "../../exchange/reception/settings";
import { readProvider } from "../../invoicing/certification/settings";
import { parseAddress } from "../../platform/egress";
import { isMailAddress, NO_MAIL } from "../../platform/mail";
import { readObjectsAddress } from "../../platform/objects/settings";
import { LANGUAGES } from "../../platform/problem";
import { readKek } from "../../platform/secrets";
import { LOG_FORMATS } from "../../platform/telemetry";
import { ENVIRONMENTS, type Environment, isSandbox, LOOPBACK_RANGES, parseRange } from "../../platform/values";
import { isAddress, toSourceName } from "../../registry/settings";
import { type Config, listTrialDefaults, MCP_ISSUES, REGISTRY_PAGES, ROLES, SAMPLE_REGISTRY } from "./config";
import { createEnvReader, type EnvReader } from "./env-reader";
import { readConsole } from "./read-console";
import { readDatabase } from "./read-database";

/** Argument of the program that accepts defaults for a trial in production and staging. */
export const ALLOW_TRIAL_DEFAULTS = "--allow-trial-defaults";

/** The configuration is invalid; the message lists every error, one a line. */
export class ConfigError extends Error {
	constructor(readonly errors: readonly string[]) {
		super(`the configuration has ${errors.length} error(s):\n${errors.map((error) => `  ${error}`).join("\n")}`);
		this.name = "ConfigError";
	}
}

/** Argument of the program with which it takes the port over from the process that holds it. */
export const REPLACE = "--replace";

type StartArguments = {
	readonly refuseTrialDefaults?: boolean;
	readonly isReplacing?: boolean;
	readonly makesKek?: boolean;
};

const LOG_LEVELS = ["trace", "debug", "info", "warn", "error", "fatal", "silent"] as const;

/**
 * Reads and checks the environment. `cores` is the default number of signing threads. With `refuseTrialDefaults`, settings without which production
 * and staging would run on defaults for a trial are errors too; with `isReplacing`, those that two processes at a time cannot share. With `makesKek`
 * the file of KEK_FILE may be missing, because the caller makes it. Throws: ConfigError.
 */
export async function readConfig(
	env: Readonly<Record<string, string | undefined>>,
	cores: number,
	{ refuseTrialDefaults = false, isReplacing = false, makesKek = false }: StartArguments = {},
): Promise<Config> {
	const variables = createEnvReader(env);
	const { text, oneOf, expected, report, errors } = variables;
	const environment = oneOf("ENVIRONMENT", ENVIRONMENTS, "sandbox");
	const role = oneOf("ROLE", ROLES, "all");
	const dataDir = resolve(text("DATA_DIR") ?? "./.data");
	const trialDefaults = listTrialDefaults(env, { environment, role });
	if (refuseTrialDefaults) {
		for (const missing of trialDefaults) report(`${missing}. For a rehearsal, start with ${ALLOW_TRIAL_DEFAULTS}`);
		if (!isSandbox(environment) && /^http:/i.test(text("BASE_URL") ?? ""))
			expected("BASE_URL", "an address with https:");
	}
	const config: Config = {
		environment,
		role,
		trialDefaults,
		...readTelemetry(variables),
		dataDir,
		...readListener(variables, environment, role, isReplacing),
		isReplacing,
		...readDatabase(variables, environment),
		...readAuthority(variables, environment, role),
		...(await readTrust(variables, environment, role, makesKek)),
		...readRegistry(variables, environment),
		archiveUrl: readArchive(env, environment, join(dataDir, "archive"), report),
		archiveSweep: oneOf("ARCHIVE_SWEEP", ["on", "off"], "off") === "on",
		exportsDir: resolve(text("EXPORTS_DIR") ?? join(dataDir, "exports")),
		...readSigning(variables, cores),
		...readSubmission(variables, environment),
		...readWebhooks(variables, environment),
		...readMail(variables),
		...readReception(variables),
		mcp: readMcp(variables, environment),
		provider: readProvider(env, environment, expected),
	};
	if (role === "edge") checkEdge(variables);
	if (isReplacing) checkReplacing(variables, role);
	if (errors.length > 0) throw new ConfigError(errors);
	return config;
}

/** A node without a database has its data from the store, and its keys are proven with the deployment's key-encryption key. */
function checkEdge({ text, report }: EnvReader): void {
	if (text("REGISTRY_STORE") === undefined) report("ROLE=edge needs REGISTRY_STORE: the store of the full nodes");
	if (text("KEK_FILE") === undefined) report("ROLE=edge needs KEK_FILE: the key-encryption key of the full nodes");
	if (text("DATABASE_URL") !== undefined) report("ROLE=edge uses no database: remove DATABASE_URL or choose a role");
}

/** Two processes serve for a moment, so neither may own what the other needs. */
function checkReplacing({ text, report }: EnvReader, role: Config["role"]): void {
	if (process.platform !== "linux") report(`${REPLACE} works on Linux only`);
	if (role === "worker")
		report(`${REPLACE} is for roles that serve requests: start another worker, then stop the old one`);
	if (text("PORT") === "0") report(`${REPLACE} needs a fixed PORT`);
	if (role !== "edge" && text("DATABASE_URL") === undefined) {
		report(`${REPLACE} needs DATABASE_URL: the embedded database belongs to one process`);
	}
	if (role !== "edge" && role !== "registry" && text("AUTHORITY_URL") === undefined) {
		report(`${REPLACE} needs AUTHORITY_URL: the simulator belongs to one process`);
	}
}

function readTelemetry(variables: EnvReader) {
	const { oneOf, number, url } = variables;
	const endpoint = url("OTEL_EXPORTER_OTLP_ENDPOINT", ["http:", "https:"]);
	const share = number("OTEL_TRACES_SAMPLER_ARG", 0, 1, 1);
	return {
		logLevel: oneOf("LOG_LEVEL", LOG_LEVELS, "info"),
		logFormat: oneOf("LOG_FORMAT", LOG_FORMATS, process.stdout.isTTY ? "text" : "json"),
		tracing: endpoint === undefined ? undefined : { endpoint, share },
	} satisfies Partial<Config>;
}

/** `*` in the sandboxes, whose keys are public; elsewhere none. */
function readOrigins({ list, report }: EnvReader, environment: Environment): readonly string[] {
	const origins = list("CORS_ORIGINS");
	if (origins.length === 0) return isSandbox(environment) ? ["*"] : [];
	if (origins.join() === "none") return [];
	for (const origin of origins.filter((one) => one !== "*" && !(URL.canParse(one) && new URL(one).origin === one)))
		report(
			`expected CORS_ORIGINS to list sites such as https://erp.example.do, *, or none, got ${JSON.stringify(origin)}`,
		);
	return origins;
}

function readListener(variables: EnvReader, environment: Environment, role: Config["role"], isReplacing: boolean) {
	const { text, integer, list } = variables;
	const corsOrigins = readOrigins(variables, environment);
	const ranges = (name: string): string[] => {
		const entries = list(name);
		for (const entry of entries.filter((one) => !parseRange(one)))
			variables.report(`expected ${name} to list addresses and CIDR ranges, got ${JSON.stringify(entry)}`);
		return entries;
	};
	const [trustedProxies, operatorNetworks] = [ranges("TRUSTED_PROXIES"), ranges("OPERATOR_NETWORKS")];
	const host = text("HOST") ?? "127.0.0.1";
	if (!/^[A-Za-z0-9.:_-]+$/.test(host)) variables.expected("HOST", "an address or a host name");
	const processes = integer("PROCESSES", 1, 256, 1);
	// With a database of its own a process cannot have another one beside it.
	const isReplaceable = role === "edge" || text("DATABASE_URL") !== undefined;
	return {
		port: integer("PORT", 0, 65_535, 3_000),
		host,
		metricsPort: text("METRICS_PORT") === undefined ? undefined : integer("METRICS_PORT", 0, 65_535, 0),
		baseUrl: variables.baseUrl("BASE_URL"),
		...readConsole(variables, environment),
		trustedProxies,
		operatorNetworks: operatorNetworks.length > 0 ? operatorNetworks : LOOPBACK_RANGES,
		corsOrigins,
		processes,
		isBehindCdn: variables.oneOf("CDN", ["on", "off"], "off") === "on",
		portSharing:
			isReplacing || text("REUSE_PORT") === "1" ? "beside" : processes > 1 || isReplaceable ? "first" : "alone",
	} satisfies Partial<Config>;
}

function readAuthority(variables: EnvReader, environment: Environment, role: Config["role"]) {
	const { text, baseUrl } = variables;
	const main = baseUrl("AUTHORITY_URL");
	const isNamed = text("AUTHORITY_URL") !== undefined;
	if (!isNamed && !isSandbox(environment) && role !== "edge") {
		variables.report(`AUTHORITY_URL must be set in ${environment}: the simulator runs in the sandboxes only`);
	}
	const fc = baseUrl("AUTHORITY_FC_URL");
	const status = baseUrl("AUTHORITY_STATUS_URL");
	if (!isNamed && (fc ?? status) !== undefined) {
		variables.report("AUTHORITY_FC_URL and AUTHORITY_STATUS_URL need AUTHORITY_URL, which is not set");
	}
	const authorityStatusKey = text("AUTHORITY_STATUS_KEY");
	// The value is a secret, so the message does not repeat it.
	if (authorityStatusKey !== undefined && !/^[\x21-\x7e]{1,500}$/.test(authorityStatusKey)) {
		variables.report("expected AUTHORITY_STATUS_KEY to be 1 to 500 printable ASCII characters");
	}
	return {
		authorityUrls: main === undefined ? undefined : { main, fc: fc ?? main, status: status ?? main },
		authorityStatusKey,
		// Probing the simulator costs nothing, and a sandbox without traffic should show its status within seconds.
		authorityProbeSeconds: variables.integer("AUTHORITY_PROBE_SECONDS", 1, 3_600, isSandbox(environment) ? 2 : 60),
	} satisfies Partial<Config>;
}

async function readTrust(
	{ text, report }: EnvReader,
	environment: Environment,
	role: Config["role"],
	makesKek: boolean,
) {
	const isProduction = environment === "production";
	const kekFile = text("KEK_FILE");
	if (kekFile !== undefined && !holdsKek(kekFile) && !(makesKek && !existsSync(kekFile))) {
		report(`expected KEK_FILE to name a file of 32 bytes in base64, got ${JSON.stringify(kekFile)}`);
	}
	if (isProduction && kekFile === undefined) {
		report("KEK_FILE must be set in production: a generated key would be stored beside the data");
	}
	const trustedCaFile = text("TRUSTED_CA_FILE");
	const bundleError = trustedCaFile === undefined ? undefined : await findBundleError(trustedCaFile);
	if (bundleError !== undefined) {
		report(`expected TRUSTED_CA_FILE to name a PEM bundle of certificate authorities: ${bundleError}`);
	}
	if (isProduction && trustedCaFile === undefined && role !== "edge") {
		report("TRUSTED_CA_FILE must be set in production: without it no signer is trusted");
	}
	return { kekFile, trustedCaFile } satisfies Partial<Config>;
}

function readRegistry(variables: EnvReader, environment: Environment) {
	const registrySchedule = variables.text("REGISTRY_SCHEDULE") ?? "0 4 * * *";
	if (!isCronPattern(registrySchedule)) variables.expected("REGISTRY_SCHEDULE", "a cron pattern");
	const registrySource = variables.text("REGISTRY_SOURCE") ?? SAMPLE_REGISTRY;
	const sourceError = findSourceError(registrySource);
	if (sourceError !== undefined) variables.report(`REGISTRY_SOURCE: ${sourceError}`);
	const registryPage = variables.oneOf("REGISTRY_PAGE", REGISTRY_PAGES, isSandbox(environment) ? "companies" : "off");
	const docsLanguage = variables.oneOf("DOCS_LANGUAGE", LANGUAGES, "es");
	const registryGraceSeconds = variables.integer("REGISTRY_GRACE_SECONDS", 0, 3_600, 900);
	const registryStore = variables.text("REGISTRY_STORE");
	try {
		if (registryStore !== undefined) readObjectsAddress(registryStore);
	} catch (error) {
		if (!(error instanceof RangeError)) throw error;
		variables.report(`REGISTRY_STORE: ${error.message}`);
	}
	return {
		registrySource,
		registrySchedule,
		registryPage,
		docsLanguage,
		registryGraceSeconds,
		registryStore,
	} satisfies Partial<Config>;
}

/** Why the registry cannot use the source; undefined when it can. */
function findSourceError(source: string): string | undefined {
	try {
		const name = toSourceName(source);
		if (isAddress(name) || statSync(name, { throwIfNoEntry: false })?.isFile()) return undefined;
		return `expected a URL or an existing file, got ${JSON.stringify(source)}`;
	} catch (error) {
		return error instanceof Error ? error.message : String(error);
	}
}

function readSigning({ integer, oneOf }: EnvReader, cores: number) {
	return {
		signThreads: integer("SIGN_THREADS", 1, 256, cores),
		signEngine: oneOf("SIGN_ENGINE", ENGINE_CHOICES, "auto"),
		signQueueMax: integer("SIGN_QUEUE_MAX", 1, 1_000_000, 2_000),
		signTimeoutSeconds: integer("SIGN_TIMEOUT_SECONDS", 1, 600, 15),
	} satisfies Partial<Config>;
}

function readSubmission({ integer }: EnvReader, environment: Environment) {
	return {
		submitThreads: integer("SUBMIT_THREADS", 1, 64, 1),
		internalSlaSeconds: integer("INTERNAL_SLA_SECONDS", 1, 604_800, isSandbox(environment) ? 60 : 14_400),
		leaseSeconds: integer("SHARD_LEASE_SECONDS", 1, 300, 15),
		paperDays: integer("PAPER_DAYS", 2, 3_650, 3),
	} satisfies Partial<Config>;
}

function readWebhooks(variables: EnvReader, environment: Environment) {
	const { text, report } = variables;
	const isProduction = environment === "production";
	const allowed = variables.list("WEBHOOK_ALLOW");
	for (const entry of allowed.filter((one) => !isHostAndPort(one))) {
		report(`expected WEBHOOK_ALLOW to list host:port, got ${JSON.stringify(entry)}`);
	}
	if (isProduction && allowed.length > 0) report("WEBHOOK_ALLOW must be empty in production");
	const webhookResolver = text("WEBHOOK_RESOLVER");
	if (webhookResolver !== undefined && !isSocketAddress(webhookResolver)) {
		variables.expected("WEBHOOK_RESOLVER", "address:port");
	}
	if (isProduction && webhookResolver !== undefined) report("WEBHOOK_RESOLVER must not be set in production");
	const webhookTimeScale = variables.number("WEBHOOK_TIME_SCALE", 0.0001, 100, 1);
	if (isProduction && webhookTimeScale !== 1) report("WEBHOOK_TIME_SCALE must be 1 in production");
	return {
		webhookAllow: new Set(allowed.map((entry) => entry.toLowerCase())),
		webhookResolver,
		webhookTimeScale,
		webhookRetriesMax: variables.integer("WEBHOOK_MAX_RETRIES", 0, 5, 5),
	} satisfies Partial<Config>;
}

function readMail(variables: EnvReader) {
	const { text } = variables;
	const mailFrom = text("MAIL_FROM");
	if (mailFrom !== undefined && !isMailAddress(mailFrom)) variables.expected("MAIL_FROM", "a plain e-mail address");
	const mailHookSecret = text("MAIL_HOOK_SECRET");
	// The value is a secret, so the message does not repeat it.
	if (mailHookSecret !== undefined && !/^[!-~]{32,200}$/.test(mailHookSecret)) {
		variables.report("expected MAIL_HOOK_SECRET to be 32 to 200 printable characters without spaces");
	}
	return {
		smtpUrl: text("SMTP_URL") === NO_MAIL ? NO_MAIL : variables.url("SMTP_URL", ["smtp:", "smtps:"]),
		mailFrom,
		mailHookSecret,
	} satisfies Partial<Config>;
}

function readMcp({ oneOf, report }: EnvReader, environment: Environment): Config["mcp"] {
	const isOn = oneOf("MCP", ["on", "off"], "on") === "on";
	const issuesAtOnce = oneOf("MCP_ISSUE", MCP_ISSUES, "approve") === "direct";
	if (issuesAtOnce && !isSandbox(environment))
		report("MCP_ISSUE=direct is for the sandboxes: elsewhere a person approves");
	return isOn ? { issuesAtOnce } : undefined;
}

function readReception({ oneOf }: EnvReader) {
	return {
		receiverAuthentication: oneOf("RECEIVER_AUTHENTICATION", PEER_AUTHENTICATION, "required"),
	} satisfies Partial<Config>;
}

function holdsKek(path: string): boolean {
	try {
		return readKek(path).length > 0;
	} catch {
		// The caller reports the file, whatever is wrong with it.
		return false;
	}
}

/** The certificate parser is large, so it is loaded only when a bundle is configured. */
async function findBundleError(path: string): Promise<string | undefined> {
	const { readTrustedAuthorities } = await import("../../ecf/verification");
	try {
		readTrustedAuthorities(path);
		return undefined;
	} catch (error) {
		return error instanceof Error ? error.message : String(error);
	}
}

function isSocketAddress(text: string): boolean {
	const [, address = "", port] = /^\[?([0-9a-fA-F:.]+?)\]?:(\d{1,5})$/.exec(text) ?? [];
	return parseAddress(address) !== undefined && isPort(port);
}

const isHostAndPort = (text: string): boolean => isPort(/^[^\s/@]+:(\d{1,5})$/.exec(text)?.[1]);

const isPort = (digits: string | undefined): boolean => Number(digits) >= 1 && Number(digits) <= 65_535;

function isCronPattern(pattern: string): boolean {
	try {
		return new Cron(pattern, { paused: true }).nextRun() !== null;
	} catch {
		return false;
	}
}
