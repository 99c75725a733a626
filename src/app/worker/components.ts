/** What the handlers of a dispatch thread work with: connections, the clock, keys, clients of the authority, of receivers and of mail servers. */
import { openArchive } from "../../archive";
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
import { type MailSettings, openMailTransport } from "../../platform/mail";
import { longestCallMs } from "../../platform/outbox";
import { createEnvelope, type Kek } from "../../platform/secrets";
import { createLog, type Metrics } from "../../platform/telemetry";
import { type Environment, isSandbox } from "../../platform/values";
import { startRehearsalAuthority } from "../../sandbox/simulator";
import { DISPATCH_CONNECTIONS } from "../config/connection-budget";
import { countArchive, countMail } from "./count-external-calls";

export type DispatchSetup = {
	readonly name: string;
	readonly databaseUrl: string;
	readonly kek: Kek;
	readonly environment: Environment;
	/** In the links of mails. */
	readonly baseUrl: string;
	readonly mail: MailSettings;
	/** The reports of mail servers are taken, so they are asked for them. */
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
};

/** No transaction of a handler waits for anything but the database. */
const IDLE_IN_TRANSACTION_MS = 10_000;
const CONNECT_TIMEOUT_MS = 3_000;
/** Of a sending no longer than its lease is certain to last: a holder must not lose its message while it waits for an answer. */
const ANSWER_TIMEOUT_MS = 10_000;
const KEYS_SWEPT_EVERY_MS = 60_000;

export type DispatchParts = Awaited<ReturnType<typeof openDispatchParts>>;

export async function openDispatchParts(setup: DispatchSetup, metrics: Metrics) {
	const { environment } = setup;
	const log = createLog(setup.logLevel, setup.name);
	const sql = connect({
		url: setup.databaseUrl,
		name: `sello ${setup.name}`,
		connectionsMax: DISPATCH_CONNECTIONS,
		idleInTransactionTimeoutMs: IDLE_IN_TRANSACTION_MS,
	});
	const clock = await followClock(sql);
	const envelope = createEnvelope(setup.kek);
	// Why it is not OpenSSL, if it is not, the signing threads' log line tells.
	const keys = createKeyRing({ envelope, engine: openEngine(setup.signEngine).engine });
	setInterval(keys.sweep, KEYS_SWEPT_EVERY_MS);
	const signSeed = async (seed: string, { identity, profile }: Signatory) =>
		signReceivedXml(seed, keys.open(identity), { profile, signedAt: clock.now() });
	const calls = startCallCounter({ sql, clock, log });
	const openClient = (urls: DispatchSetup["authorityUrls"], onCall?: typeof calls.record) =>
		createAuthority<Signatory>({
			urls,
			...(onCall ? { onCall } : {}),
			signSeed,
			log,
			clock,
			connectTimeoutMs: CONNECT_TIMEOUT_MS,
			answerTimeoutMs: ANSWER_TIMEOUT_MS,
			sendingTimeoutMs: longestCallMs(setup.leaseSeconds),
		});
	const authority = openClient(setup.authorityUrls, calls.record);
	const openStage = async (): Promise<Stage> => {
		const { url, stop } = await startRehearsalAuthority();
		return { authority: openClient({ main: url, fc: url, status: url }), stop };
	};
	const resolving =
		setup.webhookResolver === undefined ? {} : { limits: { resolve: resolveAt(setup.webhookResolver) } };
	const peers = createPeerClient({
		policy: { environment, allow: new Set([...setup.webhookAllow, ...simulatedReceivers(setup)]) },
		...resolving,
		signSeed,
		clock,
	});
	const openMail = (settings: MailSettings) => countMail(openMailTransport(settings), metrics);
	const mail = openMail(setup.mail);
	const emails = openEmailTransports(setup.mail, environment, openMail);
	const printer = createPrinter({ log });
	return {
		...{ setup, environment, log, metrics, sql, clock, envelope, openKey: keys.open },
		...{ authority, openStage, peers, resolving, mail, emails, printer },
		authorityStatus: createAuthorityStatus({ sql }),
		directory: openDirectory({ sql, authority }),
		archive: countArchive(await openArchive(setup.archiveUrl, log), metrics),
		/** When nothing is carried out any more. */
		close: async (): Promise<void> => {
			mail.close();
			emails.close();
			await printer.close();
			await calls.stop();
			clock.stop();
			await sql.end({ timeout: 2 });
		},
	};
}

/** In the sandboxes the authority's simulator is a receiver too, on the own machine, and so are the companies of this service. */
function simulatedReceivers({ environment, authorityUrls, baseUrl }: DispatchSetup): string[] {
	return isSandbox(environment) ? [authorityUrls.main, baseUrl].map(toHostAndPort) : [];
}

/** With its port, which `host` leaves out where it is the scheme's own. */
function toHostAndPort(url: string): string {
	const { protocol, hostname, port } = new URL(url);
	return `${hostname}:${port || (protocol === "https:" ? "443" : "80")}`;
}
