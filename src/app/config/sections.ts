/** The variables that belong together, area by area: what goes with what, and what each environment wants. */
import { statSync } from "node:fs";
import { join } from "node:path";
import { Cron } from "croner";
import { ENGINE_CHOICES } from "../../ecf/signing/settings";
import { PEER_AUTHENTICATION } from "../../exchange/reception/settings";
import { parseAddress } from "../../platform/egress";
import { isMailAddress } from "../../platform/mail";
import { readKek } from "../../platform/secrets";
import { type Environment, isSandbox, parseRange } from "../../platform/values";
import { isAddress, toSourceName } from "../../registry/settings";
import type { Config } from "./config";
import type { Variables } from "./env-reader";

const POSTGRES = ["postgres:", "postgresql:"] as const;
const DATABASE_RIGHTS = ["strict", "lenient"] as const;
export type DatabaseRights = (typeof DATABASE_RIGHTS)[number];
/** Invented taxpayers. */
export const SAMPLE_REGISTRY = join(import.meta.dir, "../../../data/registry/sample.zip");

export function readListener(variables: Variables) {
	const { text, integer, list } = variables;
	const trustedProxies = list("TRUSTED_PROXIES");
	for (const entry of trustedProxies.filter((one) => !parseRange(one))) {
		variables.fault(`expected TRUSTED_PROXIES to list addresses and CIDR ranges, got ${JSON.stringify(entry)}`);
	}
	const host = text("HOST") ?? "127.0.0.1";
	if (!/^[A-Za-z0-9.:_-]+$/.test(host)) variables.expected("HOST", "an address or a host name");
	const processes = integer("PROCESSES", 1, 256, 1);
	return {
		port: integer("PORT", 0, 65_535, 3_000),
		host,
		metricsPort: text("METRICS_PORT") === undefined ? undefined : integer("METRICS_PORT", 0, 65_535, 0),
		baseUrl: variables.baseUrl("BASE_URL"),
		trustedProxies,
		processes,
		reusePort: processes > 1 || text("REUSE_PORT") === "1",
	} satisfies Partial<Config>;
}

export function readDatabase(variables: Variables, environment: Environment) {
	const databaseUrl = variables.url("DATABASE_URL", POSTGRES);
	const databaseMigrationUrl = variables.url("DATABASE_MIGRATION_URL", POSTGRES);
	if (databaseMigrationUrl !== undefined && variables.text("DATABASE_URL") === undefined) {
		variables.fault("DATABASE_MIGRATION_URL goes with DATABASE_URL, which is not set");
	}
	// Gap: where a server's only login owns its database, production starts with a word of its operator's.
	const otherwise = environment === "production" ? "strict" : "lenient";
	const databaseRights = variables.oneOf("DATABASE_RIGHTS", DATABASE_RIGHTS, otherwise);
	return { databaseUrl, databaseMigrationUrl, databaseRights } satisfies Partial<Config>;
}

export function readAuthority(variables: Variables, environment: Environment) {
	const { text, baseUrl } = variables;
	const main = baseUrl("AUTHORITY_URL");
	const isNamed = text("AUTHORITY_URL") !== undefined;
	if (!isNamed && !isSandbox(environment)) {
		variables.fault(`AUTHORITY_URL must be set in ${environment}: the simulator runs in the sandboxes only`);
	}
	const fc = baseUrl("AUTHORITY_FC_URL");
	const status = baseUrl("AUTHORITY_STATUS_URL");
	if (!isNamed && (fc ?? status) !== undefined) {
		variables.fault("AUTHORITY_FC_URL and AUTHORITY_STATUS_URL go with AUTHORITY_URL, which is not set");
	}
	const authorityStatusKey = text("AUTHORITY_STATUS_KEY");
	// Like a password: what was sent is not repeated.
	if (authorityStatusKey !== undefined && !/^[\x21-\x7e]{1,500}$/.test(authorityStatusKey)) {
		variables.fault("expected AUTHORITY_STATUS_KEY to be a key that can stand in a header");
	}
	return {
		authorityUrls: main === undefined ? undefined : { main, fc: fc ?? main, status: status ?? main },
		authorityStatusKey,
		// The simulator is ours to ask, and a sandbox without traffic is to tell within seconds as well.
		authorityProbeSeconds: variables.integer("AUTHORITY_PROBE_SECONDS", 1, 3_600, isSandbox(environment) ? 2 : 60),
	} satisfies Partial<Config>;
}

export async function readTrust({ text, fault }: Variables, environment: Environment) {
	const isProduction = environment === "production";
	const kekFile = text("KEK_FILE");
	if (kekFile !== undefined && !holdsKek(kekFile)) {
		fault(`expected KEK_FILE to name a file of 32 bytes in base64, got ${JSON.stringify(kekFile)}`);
	}
	if (isProduction && kekFile === undefined) {
		fault("KEK_FILE must be set in production: a made key would live beside the data");
	}
	const trustedCaFile = text("TRUSTED_CA_FILE");
	const bundleFault = trustedCaFile === undefined ? undefined : await findBundleFault(trustedCaFile);
	if (bundleFault !== undefined) {
		fault(`expected TRUSTED_CA_FILE to name a PEM bundle of certificate authorities: ${bundleFault}`);
	}
	if (isProduction && trustedCaFile === undefined) {
		fault("TRUSTED_CA_FILE must be set in production: without it nobody who signs is trusted");
	}
	return { kekFile, trustedCaFile } satisfies Partial<Config>;
}

export function readRegistry(variables: Variables) {
	const registrySchedule = variables.text("REGISTRY_SCHEDULE") ?? "0 4 * * *";
	if (!isCronPattern(registrySchedule)) variables.expected("REGISTRY_SCHEDULE", "a cron pattern");
	const registrySource = variables.text("REGISTRY_SOURCE") ?? SAMPLE_REGISTRY;
	const sourceFault = faultOfSource(registrySource);
	if (sourceFault !== undefined) variables.fault(`REGISTRY_SOURCE: ${sourceFault}`);
	return { registrySource, registrySchedule } satisfies Partial<Config>;
}

/** Why the registry would not take it as its source; undefined when it would. */
function faultOfSource(source: string): string | undefined {
	try {
		const name = toSourceName(source);
		if (isAddress(name) || statSync(name, { throwIfNoEntry: false })?.isFile()) return undefined;
		return `expected an address or a file that is there, got ${JSON.stringify(source)}`;
	} catch (error) {
		return error instanceof Error ? error.message : String(error);
	}
}

export function readSigning({ integer, oneOf }: Variables, cores: number) {
	return {
		signThreads: integer("SIGN_THREADS", 1, 256, cores),
		signEngine: oneOf("SIGN_ENGINE", ENGINE_CHOICES, "auto"),
		signQueueMax: integer("SIGN_QUEUE_MAX", 1, 1_000_000, 2_000),
		signTimeoutSeconds: integer("SIGN_TIMEOUT_SECONDS", 1, 600, 15),
	} satisfies Partial<Config>;
}

export function readSubmission({ integer }: Variables, environment: Environment) {
	return {
		submitThreads: integer("SUBMIT_THREADS", 1, 64, 1),
		internalSlaSeconds: integer("INTERNAL_SLA_SECONDS", 1, 604_800, isSandbox(environment) ? 60 : 14_400),
		leaseSeconds: integer("OUTBOX_LEASE_SECONDS", 1, 300, 15),
	} satisfies Partial<Config>;
}

export function readWebhooks(variables: Variables, environment: Environment) {
	const { text, fault } = variables;
	const isProduction = environment === "production";
	const allowed = variables.list("WEBHOOK_ALLOW");
	for (const entry of allowed.filter((one) => !isHostAndPort(one))) {
		fault(`expected WEBHOOK_ALLOW to list host:port, got ${JSON.stringify(entry)}`);
	}
	if (isProduction && allowed.length > 0) fault("WEBHOOK_ALLOW must be empty in production");
	const webhookResolver = text("WEBHOOK_RESOLVER");
	if (webhookResolver !== undefined && !isSocketAddress(webhookResolver)) {
		variables.expected("WEBHOOK_RESOLVER", "address:port");
	}
	if (isProduction && webhookResolver !== undefined) fault("WEBHOOK_RESOLVER must not be set in production");
	const webhookTimeScale = variables.number("WEBHOOK_TIME_SCALE", 0.0001, 100, 1);
	if (isProduction && webhookTimeScale !== 1) fault("WEBHOOK_TIME_SCALE must be 1 in production");
	return {
		webhookAllow: new Set(allowed.map((entry) => entry.toLowerCase())),
		webhookResolver,
		webhookTimeScale,
		webhookRetriesMax: variables.integer("WEBHOOK_MAX_RETRIES", 0, 5, 5),
	} satisfies Partial<Config>;
}

export function readMail(variables: Variables) {
	const { text } = variables;
	const mailFrom = text("MAIL_FROM");
	if (mailFrom !== undefined && !isMailAddress(mailFrom)) variables.expected("MAIL_FROM", "a plain mail address");
	const mailHookSecret = text("MAIL_HOOK_SECRET");
	// The value is a secret, so it is not repeated.
	if (mailHookSecret !== undefined && !/^[!-~]{32,200}$/.test(mailHookSecret)) {
		variables.fault("expected MAIL_HOOK_SECRET to be 32 to 200 printable characters without spaces");
	}
	return {
		smtpUrl: variables.url("SMTP_URL", ["smtp:", "smtps:"]),
		mailFrom,
		mailHookSecret,
	} satisfies Partial<Config>;
}

export function readReception({ oneOf }: Variables) {
	return {
		receiverAuthentication: oneOf("RECEIVER_AUTHENTICATION", PEER_AUTHENTICATION, "required"),
	} satisfies Partial<Config>;
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
