/** The configuration as the log tells it. */
import type { Config } from "./config";

/** `address`: without the login in it. */
type Telling = "shown" | "address" | "hidden";

/** Every setting stands here: a new one does not compile until somebody has decided whether it is a secret. */
const TELLINGS: { readonly [Name in keyof Config]: Telling } = {
	port: "shown",
	host: "shown",
	metricsPort: "shown",
	baseUrl: "address",
	environment: "shown",
	dataDir: "shown",
	databaseUrl: "hidden",
	databaseMigrationUrl: "hidden",
	databaseRights: "shown",
	authorityUrls: "address",
	authorityStatusKey: "hidden",
	authorityProbeSeconds: "shown",
	registrySource: "address",
	registrySchedule: "shown",
	archiveUrl: "address",
	archiveSweep: "shown",
	exportsDir: "shown",
	kekFile: "shown",
	trustedCaFile: "shown",
	trustedProxies: "shown",
	role: "shown",
	processes: "shown",
	reusePort: "shown",
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
	leaseSeconds: "shown",
	provider: "shown",
	logLevel: "shown",
};

/** What takes the place of what is not set. */
const OTHERWISE: { readonly [Name in keyof Config]?: string } = {
	databaseUrl: "embedded",
	authorityUrls: "simulator",
	smtpUrl: "files",
};

/** The configuration for the log, secrets hidden. */
export function describeConfig(config: Config): Record<string, unknown> {
	const names = Object.keys(TELLINGS) as (keyof Config)[];
	return Object.fromEntries(names.map((name) => [name, tell(config[name], TELLINGS[name]) ?? OTHERWISE[name]]));
}

function tell(value: Config[keyof Config], telling: Telling): unknown {
	if (value === undefined) return undefined;
	if (telling === "hidden") return "[hidden]";
	if (value instanceof Set) return [...value];
	if (telling === "shown") return value;
	return typeof value === "object"
		? Object.fromEntries(Object.entries(value).map(([name, address]) => [name, hideLogin(String(address))]))
		: hideLogin(String(value));
}

function hideLogin(address: string): string {
	return address.replace(/\/\/[^/@]*@/, "//[hidden]@");
}
