/** Background root: a dispatcher with the handlers of all folders. Runs in a thread of its own, in as many copies as wanted. */
import {
	ARCHIVE_APPROVAL_KIND,
	AUTHORITY_KIND,
	createApplyRule,
	createArchiveApproval,
	createSendToAuthority,
	createSendToIssuer,
	ISSUER_KIND,
	RULE_KIND,
} from "./approvals";
import { createMakeExport, EXPORT_KIND, openArchive } from "./archive";
import { openAuthority, type Signatory } from "./authority";
import { createCallCounter, openAuthorityStatus } from "./authority-status";
import { BUYER_KIND, createDeliverToBuyer, createPeerClient, openDirectory } from "./buyer-delivery";
import { createAdvance, type Stage } from "./certification";
import { ANNOUNCEMENT_KIND, createSendAnnouncement, readChangelog } from "./changelog";
import { connect, followClock } from "./database";
import { createPrinter } from "./documents";
import { createSendEmail, EMAIL_KIND, openEmailTransports } from "./documents/email";
import { resolveAt } from "./egress";
import { ARCHIVE_KIND, createArchiveInvoice, createSubmit, SUBMIT_KIND, TEST_SET_KIND } from "./invoices";
import { type MailSettings, openMailTransport } from "./mail";
import { atMost, createWake, type Dispatcher, longestCallMs, runDispatcher } from "./outbox";
import { ARCHIVE_RECEIVED_KIND, ASK_AUTHORITY_KIND, createArchiveReceived, createAskAuthority } from "./reception";
import { startRehearsalAuthority } from "./sandbox-authority";
import { createEnvelope, type Kek } from "./secrets";
import { createSendVoid, VOID_KIND } from "./sequences";
import { createKeyRing, openEngine, signReceivedXml } from "./signing";
import type { EngineChoice } from "./signing/settings";
import { createLog, createMetrics, type MetricsShare } from "./telemetry";
import { type Environment, isSandbox } from "./values";
import type { TrustedAuthority } from "./verification";
import { createDeliver, createProbe, DELIVER_KIND, PROBE_KIND } from "./webhooks";

declare const self: Worker;

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

export type ToDispatch =
	| { readonly kind: "start"; readonly setup: DispatchSetup }
	| { readonly kind: "metrics"; readonly id: number }
	| { readonly kind: "stop"; readonly graceMs: number };
export type FromDispatch =
	| { readonly kind: "ready" }
	| { readonly kind: "failed"; readonly message: string }
	| { readonly kind: "metrics"; readonly id: number; readonly share: MetricsShare }
	| { readonly kind: "stopped" };

const CONNECTIONS_MAX = 12;
/** No transaction of a handler waits for anything but the database. */
const IDLE_IN_TRANSACTION_MS = 10_000;
const CONNECT_TIMEOUT_MS = 3_000;
/** Of a sending no longer than its lease is certain to last: a holder must not lose its message while it waits for an answer. */
const ANSWER_TIMEOUT_MS = 10_000;

/** Of each kind but deliveries, which take as many slots as there are: they wait for receivers, and do nothing meanwhile. */
const AT_ONCE_MAX = 64;
/** Of each of those kinds: enough that the next one is at hand, few enough that other processes have their part. */
const HELD_MAX = 2 * AT_ONCE_MAX;
/** An archived document waits for the disk and for its batch most of its time: with fewer of them neither thread nor database is busy. */
const ARCHIVED_AT_ONCE_MAX = 128;
/** Steps of test sets at a time: each signs a score of documents, or plays them against a simulator of its own. */
const SETS_AT_ONCE_MAX = 4;
/** Exports of the archive at a time: each takes up to half of the thread, whatever else it does. */
const EXPORTS_AT_ONCE_MAX = 1;

/** Documents that rules look at: a few statements each. */
const RULES_AT_ONCE_MAX = 8;

/** Connections to one mail server, which limits them, for each kind of mail. */
const MAILS_AT_ONCE_MAX = 4;

const KEYS_SWEPT_EVERY_MS = 60_000;

const metrics = createMetrics();
let stop: ((graceMs: number) => Promise<void>) | undefined;

const tell = (message: FromDispatch) => self.postMessage(message);

self.onmessage = async (event: MessageEvent<ToDispatch>) => {
	const message = event.data;
	if (message.kind === "start") {
		try {
			stop = await start(message.setup);
			tell({ kind: "ready" });
		} catch (error) {
			tell({ kind: "failed", message: error instanceof Error ? error.message : String(error) });
		}
	} else if (message.kind === "metrics") {
		tell({ kind: "metrics", id: message.id, share: await metrics.share() });
	} else {
		await stop?.(message.graceMs);
		tell({ kind: "stopped" });
	}
};

async function start(setup: DispatchSetup): Promise<(graceMs: number) => Promise<void>> {
	const { environment } = setup;
	const log = createLog(setup.logLevel, setup.name);
	const sql = connect({
		url: setup.databaseUrl,
		name: `sello ${setup.name}`,
		connectionsMax: CONNECTIONS_MAX,
		idleInTransactionTimeoutMs: IDLE_IN_TRANSACTION_MS,
	});
	const clock = await followClock(sql);
	const envelope = createEnvelope(setup.kek);
	// Why it is not OpenSSL, if it is not, the signing threads' log line tells.
	const keys = createKeyRing({ envelope, engine: openEngine(setup.signEngine).engine });
	setInterval(keys.sweep, KEYS_SWEPT_EVERY_MS);
	const archive = await openArchive(setup.archiveUrl, log);
	const signSeed = async (seed: string, { identity, profile }: Signatory) =>
		signReceivedXml(seed, keys.open(identity), { profile, signedAt: clock.now() });
	const authorityStatus = openAuthorityStatus({ sql });
	const calls = createCallCounter({ sql, clock, log });
	const openClient = (urls: DispatchSetup["authorityUrls"], onCall?: typeof calls.note) =>
		openAuthority<Signatory>({
			urls,
			...(onCall ? { onCall } : {}),
			signSeed,
			log,
			clock,
			connectTimeoutMs: CONNECT_TIMEOUT_MS,
			answerTimeoutMs: ANSWER_TIMEOUT_MS,
			sendingTimeoutMs: longestCallMs(setup.leaseSeconds),
		});
	const authority = openClient(setup.authorityUrls, calls.note);
	const openStage = async (): Promise<Stage> => {
		const { url, stop } = await startRehearsalAuthority();
		return { authority: openClient({ main: url, fc: url, status: url }), stop };
	};
	const transport = openMailTransport(setup.mail);
	const transports = openEmailTransports(setup.mail, environment);
	const printer = createPrinter({ log });
	const notify = createWake(sql);
	/** This dispatcher looks at once; others are told only when it has no free slot. */
	const wake = () => {
		if (!dispatcher.ring()) notify();
	};
	const delivery = {
		sql,
		envelope,
		policy: { environment, allow: new Set(setup.webhookAllow) },
		...(setup.webhookResolver === undefined ? {} : { limits: { resolve: resolveAt(setup.webhookResolver) } }),
		timeScale: setup.webhookTimeScale,
		retriesMax: setup.webhookRetriesMax,
		clock,
		log,
		metrics,
	};
	const peers = createPeerClient({
		policy: { environment, allow: new Set([...setup.webhookAllow, ...simulatedReceivers(setup)]) },
		...(setup.webhookResolver === undefined ? {} : { limits: { resolve: resolveAt(setup.webhookResolver) } }),
		signSeed,
		clock,
	});
	const directory = openDirectory({ sql, authority });
	const approval = { sql, authority, directory, peers, openKey: keys.open, clock };
	const dispatcher: Dispatcher = runDispatcher({
		sql,
		log,
		metrics,
		slots: setup.slots,
		heldMax: {
			[BUYER_KIND]: HELD_MAX,
			...{
				[SUBMIT_KIND]: HELD_MAX,
				[VOID_KIND]: HELD_MAX,
				[AUTHORITY_KIND]: HELD_MAX,
				[ISSUER_KIND]: HELD_MAX,
				[ARCHIVE_APPROVAL_KIND]: HELD_MAX,
				[RULE_KIND]: HELD_MAX,
				[ARCHIVE_RECEIVED_KIND]: HELD_MAX,
				[ASK_AUTHORITY_KIND]: HELD_MAX,
				[ARCHIVE_KIND]: 2 * ARCHIVED_AT_ONCE_MAX,
			},
			[TEST_SET_KIND]: 2 * SETS_AT_ONCE_MAX,
			[EXPORT_KIND]: EXPORTS_AT_ONCE_MAX,
			...{ [ANNOUNCEMENT_KIND]: HELD_MAX, [EMAIL_KIND]: HELD_MAX },
		},
		leaseSeconds: setup.leaseSeconds,
		handlers: {
			[SUBMIT_KIND]: atMost(
				AT_ONCE_MAX,
				createSubmit({
					sql,
					authority,
					authorityStatus,
					environment,
					internalSlaSeconds: setup.internalSlaSeconds,
					clock,
					log,
					metrics,
					wake,
					openHandover: () => dispatcher.openHandover(),
				}),
			),
			[VOID_KIND]: atMost(AT_ONCE_MAX, createSendVoid({ sql, authority, openKey: keys.open, clock })),
			[AUTHORITY_KIND]: atMost(AT_ONCE_MAX, createSendToAuthority(approval)),
			[ISSUER_KIND]: atMost(AT_ONCE_MAX, createSendToIssuer(approval)),
			[ARCHIVE_APPROVAL_KIND]: atMost(AT_ONCE_MAX, createArchiveApproval({ sql, archive, environment })),
			[RULE_KIND]: atMost(RULES_AT_ONCE_MAX, createApplyRule({ sql, clock, wake })),
			[TEST_SET_KIND]: atMost(
				SETS_AT_ONCE_MAX,
				createAdvance({
					...{ sql, environment, authorityUrls: setup.authorityUrls, openKey: keys.open, openStage },
					...{ clock, wake },
				}),
			),
			[ARCHIVE_KIND]: atMost(ARCHIVED_AT_ONCE_MAX, createArchiveInvoice({ sql, archive, environment })),
			[ARCHIVE_RECEIVED_KIND]: atMost(AT_ONCE_MAX, createArchiveReceived({ sql, archive, environment })),
			[ASK_AUTHORITY_KIND]: atMost(AT_ONCE_MAX, createAskAuthority({ sql, authority, clock })),
			[EXPORT_KIND]: atMost(
				EXPORTS_AT_ONCE_MAX,
				createMakeExport({ sql, archive, folder: setup.exportsDir, clock, log }),
			),
			[BUYER_KIND]: atMost(
				AT_ONCE_MAX,
				createDeliverToBuyer({
					...{ sql, directory, peers, clock, log, wake },
					authorities: await readAuthorities(setup.trustedCaFile),
				}),
			),
			[DELIVER_KIND]: createDeliver(delivery),
			[PROBE_KIND]: createProbe({ ...delivery, wake }),
			[EMAIL_KIND]: atMost(
				MAILS_AT_ONCE_MAX,
				createSendEmail({
					...{ sql, transports, printer, environment, authorityStatus, wantsNotices: setup.wantsMailNotices },
					...{ clock, log },
				}),
			),
			[ANNOUNCEMENT_KIND]: atMost(
				MAILS_AT_ONCE_MAX,
				createSendAnnouncement({
					sql,
					transport,
					changelog: readChangelog(),
					baseUrl: setup.baseUrl,
					clock,
				}),
			),
		},
	});
	return async (graceMs) => {
		await dispatcher.stop(graceMs);
		transport.close();
		transports.close();
		await printer.close();
		await calls.stop();
		clock.stop();
		await sql.end({ timeout: 2 });
	};
}

/** What reads certificates comes where there is a bundle to read. */
async function readAuthorities(path: string | undefined): Promise<readonly TrustedAuthority[] | undefined> {
	if (path === undefined) return undefined;
	const { readTrustedAuthorities } = await import("./verification");
	return readTrustedAuthorities(path);
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
