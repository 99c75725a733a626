/** What the handlers of a dispatch thread work with: database, clock, keys, and clients of the authority, receivers and mail servers. */
import { type Archive, ArchiveConflictError, createReadSealed, openArchive } from "../../archive";
import { createAuthority, type Signatory } from "../../authority/client";
import { createAuthorityStatus, startCallCounter } from "../../authority/status";
import { createPrinter } from "../../ecf/printing";
import { createKeyRing, openEngine, signReceivedXml } from "../../ecf/signing";
import type { EngineChoice } from "../../ecf/signing/settings";
import { createPeerClient, openDirectory } from "../../invoicing/buyer-delivery";
import type { Stage } from "../../invoicing/certification";
import { openEmailTransports } from "../../invoicing/email";
import { connect, followClock } from "../../platform/database";
import { resolveAt } from "../../platform/egress";
import { isAboutThisMail, type MailSettings, type MailTransport, openMailTransport } from "../../platform/mail";
import { longestCallMs } from "../../platform/outbox";
import { createEnvelope, type Kek } from "../../platform/secrets";
import { createLog, type LogFormat, type Metrics, startTracing, type TracingSettings } from "../../platform/telemetry";
import { type Environment, isSandbox } from "../../platform/values";
import { DISPATCH_CONNECTIONS } from "../config/config";

export type DispatchSettings = {
	readonly name: string;
	/** The process, see `nameNode`. */
	readonly node: string;
	readonly databaseUrl: string;
	readonly isPooled: boolean;
	readonly isCitus: boolean;
	/** Whether a batch holds messages of one shard alone. */
	readonly isByShard: boolean;
	readonly kek: Kek;
	readonly environment: Environment;
	/** For links in mails. */
	readonly baseUrl: string;
	readonly mail: MailSettings;
	/** Whether mail servers are asked for delivery reports. */
	readonly wantsMailNotices: boolean;
	readonly authorityUrls: { readonly main: string; readonly fc: string; readonly status: string };
	readonly archiveUrl: string;
	readonly exportsDir: string;
	readonly trustedCaFile: string | undefined;
	readonly webhookAllow: readonly string[];
	readonly webhookResolver: string | undefined;
	readonly webhookTimeScale: number;
	readonly webhookRetriesMax: number;
	readonly internalSlaSeconds: number;
	readonly leaseSeconds: number;
	readonly slots: number;
	readonly signEngine: EngineChoice;
	readonly logLevel: string;
	readonly logFormat: LogFormat;
	readonly tracing: TracingSettings | undefined;
};

/** Handlers' transactions wait for nothing but the database. */
const IDLE_IN_TRANSACTION_MS = 10_000;
const CONNECT_TIMEOUT_MS = 3_000;
/** Sendings have a shorter limit if the lease is shorter: a holder must not lose its message while it waits. */
const ANSWER_TIMEOUT_MS = 10_000;
const KEY_SWEEP_INTERVAL_MS = 60_000;

export type WorkerComponents = Awaited<ReturnType<typeof openWorkerComponents>>;

export async function openWorkerComponents(settings: DispatchSettings, metrics: Metrics) {
	const { environment } = settings;
	const stopTracing = await startTracing(settings.tracing, (err) =>
		log.warn({ event: "trace.export_failed", err }, "spans were not taken by the collector"),
	);
	const log = createLog(settings.logLevel, settings.name, settings.logFormat);
	const sql = connect({
		url: settings.databaseUrl,
		isPooled: settings.isPooled,
		name: `sello ${settings.name}`,
		connectionsMax: DISPATCH_CONNECTIONS,
		// Citus finds the node of a statement by its values.
		plansOnce: !settings.isCitus,
		idleInTransactionTimeoutMs: IDLE_IN_TRANSACTION_MS,
	});
	const clock = await followClock(sql);
	const envelope = createEnvelope(settings.kek);
	// The signing threads log which engine is used and why.
	const keys = createKeyRing({ envelope, engine: openEngine(settings.signEngine).engine });
	setInterval(keys.sweep, KEY_SWEEP_INTERVAL_MS);
	const signSeed = async (seed: string, { identity, profile }: Signatory) =>
		signReceivedXml(seed, keys.open(identity), { profile, signedAt: clock.now() });
	const calls = startCallCounter({ sql, clock, log });
	const openClient = (urls: DispatchSettings["authorityUrls"], onCall?: typeof calls.record) =>
		createAuthority<Signatory>({
			...{ urls, signSeed, log, clock, ...(onCall ? { onCall } : {}) },
			...{ connectTimeoutMs: CONNECT_TIMEOUT_MS, answerTimeoutMs: ANSWER_TIMEOUT_MS },
			sendingTimeoutMs: longestCallMs(settings.leaseSeconds),
		});
	const authority = openClient(settings.authorityUrls, calls.record);
	const openRehearsal = async (): Promise<Stage> => {
		const { startRehearsalAuthority } = await import("../../sandbox/simulator");
		const { url, stop } = await startRehearsalAuthority();
		return { authority: openClient({ main: url, fc: url, status: url }), stop };
	};
	const resolving =
		settings.webhookResolver === undefined ? {} : { limits: { resolve: resolveAt(settings.webhookResolver) } };
	const allow = new Set([...settings.webhookAllow, ...simulatedReceivers(settings)]);
	const peers = createPeerClient({ policy: { environment, allow }, ...resolving, signSeed, clock });
	const openMail = (mail: MailSettings) => countMail(openMailTransport(mail), metrics);
	const mail = openMail(settings.mail);
	const emails = openEmailTransports(settings.mail, environment, openMail);
	const printer = createPrinter({ log });
	const archive = countArchive(await openArchive(settings.archiveUrl, log), metrics);
	return {
		...{ settings, environment, log, metrics, sql, clock, envelope, openKey: keys.open },
		...{ authority, openRehearsal, peers, resolving, mail, emails, printer },
		authorityStatus: createAuthorityStatus({ sql }),
		directory: openDirectory({ sql, authority }),
		archive,
		readSealed: createReadSealed({ sql, archive }),
		/** Call it after the dispatcher has stopped. */
		close: async (): Promise<void> => {
			mail.close();
			emails.close();
			await printer.close();
			await calls.stop();
			clock.stop();
			await sql.end({ timeout: 2 });
			await stopTracing();
		},
	};
}

/** In the sandboxes, the simulator and this service are receivers too, on this machine. */
function simulatedReceivers({ environment, authorityUrls, baseUrl }: DispatchSettings): string[] {
	return isSandbox(environment) ? [authorityUrls.main, baseUrl].map(toHostAndPort) : [];
}

/** `URL.host` leaves out a scheme's default port. */
function toHostAndPort(url: string): string {
	const { protocol, hostname, port } = new URL(url);
	return `${hostname}:${port || (protocol === "https:" ? "443" : "80")}`;
}

/**
 * Metrics of calls to the archive's store and to the mail server. A refusal is not an outage: the service has answered, as for a mail to an unknown
 * address.
 */

type Counters = Pick<Metrics, "outsideCalls">;
type Service = "archive" | "mail";

export function countArchive(archive: Archive, metrics: Counters): Archive {
	const isRefusal = (error: unknown) => error instanceof ArchiveConflictError;
	return { ...archive, putOnce: (...object) => count(metrics, "archive", () => archive.putOnce(...object), isRefusal) };
}

export function countMail(transport: MailTransport, metrics: Counters): MailTransport {
	return {
		...transport,
		deliver: (...mail) => count(metrics, "mail", () => transport.deliver(...mail), isAboutThisMail),
	};
}

async function count<T>(
	{ outsideCalls }: Counters,
	service: Service,
	call: () => Promise<T>,
	isRefusal: (error: unknown) => boolean,
): Promise<T> {
	try {
		const answer = await call();
		outsideCalls.inc({ service, result: "ok" });
		return answer;
	} catch (error) {
		outsideCalls.inc({ service, result: isRefusal(error) ? "refused" : "failed" });
		throw error;
	}
}
