/** The handler table of a dispatch thread: the handler of each message kind, and how many messages of it run at a time. */

import { createSendAnnouncement, readChangelog } from "../../api/changelog";
import { createMakeExport, openSharedFiles } from "../../archive";
import { findCompany } from "../../companies";
import type { TrustedAuthority } from "../../ecf/verification";
import { createDeliver, createProbe, enqueueEvents } from "../../events/webhooks";
import {
	createApplyRule,
	createArchiveApproval,
	createSendToAuthority,
	createSendToIssuer,
} from "../../exchange/approvals";
import { createArchiveReceived, createQueryAuthority, listIssuers } from "../../exchange/reception";
import { createMailPerson } from "../../identity/users";
import { createDeliverToBuyer, deliverAccepted } from "../../invoicing/buyer-delivery";
import { createAdvance, wakeTestSets } from "../../invoicing/certification";
import { createMailAccepted, createSendEmail, mailAccepted } from "../../invoicing/email";
import {
	archiveDecided,
	createArchiveInvoice,
	createInvoiceFiles,
	createSubmit,
	type DocKey,
	findSignedEcf,
	SUBMISSION_WORK,
	verdictEvents,
	wakeWaitingNotes,
} from "../../invoicing/invoices";
import { createFolding, listCounterparties } from "../../invoicing/reports";
import { createSendVoid } from "../../invoicing/sequences";
import type { VerdictReaction } from "../../invoicing/verdicts";
import type { Sql } from "../../platform/database";
import {
	type Dispatcher,
	type Handler,
	type Handlers,
	type LoggedWork,
	limitConcurrency,
	OUTBOX_KINDS,
	type Slow,
} from "../../platform/outbox";
import { keepTombstonePepper, readKek } from "../../platform/secrets";
import { inSpan } from "../../platform/telemetry";
import { newId } from "../../platform/values";
import type { Counterparties, WatchlistSource, WriteWatchEvents } from "../../registry";
import type { WorkerComponents } from "./components";

type Entry = {
	readonly kind: string;
	/** Messages handled at a time; absent: as many as the thread has slots. */
	readonly atOnce?: number;
	/** Messages started at a time: enough to keep the handlers busy; absent: as many as there are slots. */
	readonly startedMax?: number;
	/** Slots are shared between tenants, and one is kept free for a tenant without any. */
	readonly isShared?: true;
	readonly slow?: Slow;
	readonly handler: Handler;
};

/** Deliveries have no limit, because they mostly wait for receivers; all other sending kinds have this one. */
const SENT = { atOnce: 64, startedMax: 128, isShared: true } as const;
/** An archived document mostly waits for the disk and its batch; fewer of them would leave thread and database idle. */
const ARCHIVED = { atOnce: 128, startedMax: 256 };
/** Each step of a test set signs about twenty documents, or runs them against its own simulator. */
const SETS = { atOnce: 4, startedMax: 8 };
/** Each archive export takes up to half of the thread. */
const EXPORTS = { atOnce: 1, startedMax: 1 };
/** A few SQL statements each. */
const RULES = { atOnce: 8, startedMax: 128 };
/**
 * Connections to one mail server, for each kind of mail. Servers limit them. A server may take ten minutes to answer, or never answer if the connection
 * has died, and a few such mails must not hold up all others.
 */
const MAILS = { atOnce: 4, startedMax: 128, slow: { afterMs: 60_000, max: 28 } };

/** Each watchlist has an owner, so its mails go where those of an owner's company go. */
const OWNED = { ownerId: "any" };

/** What follows from a verdict, in the transaction that writes it. Messages are written in this order. */
export const VERDICT_REACTIONS: readonly VerdictReaction[] = [
	verdictEvents,
	archiveDecided,
	deliverAccepted,
	mailAccepted,
	wakeWaitingNotes,
	wakeTestSets,
];

/** Each event has ids of its own: it is about no document of ours. */
const writeWatchEvents: WriteWatchEvents = async (tx, tenantId, occurredAt, events) => {
	const all = events.map(({ event, registry }) => {
		return { event, tenantId, docId: newId(), trackId: newId(), occurredAt, registry };
	});
	await enqueueEvents(tx, all);
};

/** `wake` wakes dispatchers for new messages; `openLocalDispatch` gives follow-up messages of a verdict to this thread. */
export async function createHandlerTable(
	components: WorkerComponents,
	{ wake, openLocalDispatch }: Pick<Dispatcher, "openLocalDispatch"> & { readonly wake: () => void },
): Promise<{
	readonly handlers: Handlers;
	readonly startedMax: Readonly<Record<string, number>>;
	readonly shared: readonly string[];
	readonly work: LoggedWork;
}> {
	const { settings, environment, log, metrics, sql, clock, archive, readSealed, authority, authorityStatus, openKey } =
		components;
	const { directory, peers, printer } = components;
	const { internalSlaSeconds, isByShard, authorityUrls, exportsDir: folder, baseUrl } = settings;
	const delivery = {
		...{ sql, envelope: components.envelope, clock, log, metrics, ...components.resolving },
		policy: { environment, allow: new Set(settings.webhookAllow) },
		timeScale: settings.webhookTimeScale,
		retriesMax: settings.webhookRetriesMax,
	};
	const shared = await openSharedFiles(settings.archiveUrl);
	const approval = { sql, authority, directory, peers, openKey, clock };
	const submission = {
		...{ sql, authority, authorityStatus, environment, internalSlaSeconds, isByShard, clock, log, metrics },
		reactions: [...VERDICT_REACTIONS, createFolding(sql, log)],
	};
	const authorities = await readAuthorities(settings.trustedCaFile);
	const testSets = { sql, environment, authorityUrls, openKey, openStage: components.openRehearsal, clock, wake };
	const buyers = {
		...{ sql, directory, peers, clock, log, wake, authorities },
		findSignedEcf: (document: DocKey) => findSignedEcf({ sql, readSealed }, document),
	};
	const email = {
		...{ sql, readSealed, transports: components.emails, printer, environment, authorityStatus, clock, log },
		wantsNotices: settings.wantsMailNotices,
	};
	const invoices = createInvoiceFiles({ sql, readSealed, printer, environment, authorityStatus });
	const announcement = { sql, transport: components.mail, changelog: readChangelog(), baseUrl, clock };

	const mailPerson = createMailPerson({ envelope: components.envelope, transport: components.mail });

	/** Loaded with the first run: most threads never join one. */
	const joinWatchlists: Handler = async (message) => {
		const { createJoinWatchlists } = await import("../../registry");
		return createJoinWatchlists({ sql, clock, wake, writeEvents: writeWatchEvents })(message);
	};
	const queueDigests: Handler = async (message) => {
		const { createQueueDigests } = await import("../../registry");
		return createQueueDigests({ sql, clock, wake })(message);
	};
	const sendDigest: Handler = async (message) => {
		const { createSendDigest } = await import("../../registry");
		return createSendDigest({ sql, transport: components.emails.of(OWNED), baseUrl, clock })(message);
	};

	const fillWatchlist: Handler = async (message) => {
		const { createFillWatchlist } = await import("../../registry");
		const { kek } = settings;
		const initialKek = kek instanceof Uint8Array ? kek : readKek(kek.file);
		const pepper = await keepTombstonePepper({ sql, envelope: components.envelope }, initialKek);
		const readCounterparties = (tenantId: string, source: WatchlistSource) => findCounterparties(sql, tenantId, source);
		return createFillWatchlist({ sql, clock, pepper, readCounterparties })(message);
	};

	return toTable([
		{ kind: OUTBOX_KINDS.submitInvoice, ...SENT, handler: createSubmit({ ...submission, wake, openLocalDispatch }) },
		{ kind: OUTBOX_KINDS.voidSequence, ...SENT, handler: createSendVoid({ sql, authority, openKey, clock }) },
		{ kind: OUTBOX_KINDS.sendApprovalToAuthority, ...SENT, handler: createSendToAuthority(approval) },
		{ kind: OUTBOX_KINDS.sendApprovalToIssuer, ...SENT, handler: createSendToIssuer(approval) },
		{ kind: OUTBOX_KINDS.archiveApproval, ...SENT, handler: createArchiveApproval({ sql, archive, environment }) },
		{ kind: OUTBOX_KINDS.applyApprovalRule, ...RULES, handler: createApplyRule({ sql, clock, wake }) },
		{ kind: OUTBOX_KINDS.advanceTestSet, ...SETS, handler: createAdvance(testSets) },
		{ kind: OUTBOX_KINDS.archiveInvoice, ...ARCHIVED, handler: createArchiveInvoice({ sql, archive, environment }) },
		{ kind: OUTBOX_KINDS.archiveReceived, ...SENT, handler: createArchiveReceived({ sql, archive, environment }) },
		{ kind: OUTBOX_KINDS.queryReceived, ...SENT, handler: createQueryAuthority({ sql, authority, clock }) },
		{
			kind: OUTBOX_KINDS.buildExport,
			...EXPORTS,
			handler: createMakeExport({ sql, archive, invoices, folder, shared, clock, log }),
		},
		{ kind: OUTBOX_KINDS.deliverToBuyer, ...SENT, handler: createDeliverToBuyer(buyers) },
		{ kind: OUTBOX_KINDS.deliverWebhook, handler: createDeliver(delivery) },
		{ kind: OUTBOX_KINDS.probeEndpoint, handler: createProbe({ ...delivery, wake }) },
		{ kind: OUTBOX_KINDS.joinWatchlists, ...EXPORTS, handler: joinWatchlists },
		{ kind: OUTBOX_KINDS.fillWatchlist, ...EXPORTS, handler: fillWatchlist },
		{ kind: OUTBOX_KINDS.queueDigests, ...EXPORTS, handler: queueDigests },
		{ kind: OUTBOX_KINDS.sendDigest, ...MAILS, handler: sendDigest },
		{ kind: OUTBOX_KINDS.emailInvoice, ...MAILS, handler: createSendEmail(email) },
		{ kind: OUTBOX_KINDS.emailOnRequest, ...RULES, handler: createMailAccepted({ sql, readSealed, clock, wake }) },
		{ kind: OUTBOX_KINDS.announceRelease, ...MAILS, handler: createSendAnnouncement(announcement) },
		{ kind: OUTBOX_KINDS.mailPerson, ...MAILS, handler: mailPerson },
	]);
}

/** Sellers of purchases and issuers of received documents together are the suppliers. */
async function findCounterparties(
	sql: Sql,
	tenantId: string,
	source: WatchlistSource,
): Promise<Counterparties | undefined> {
	const company = await findCompany(sql, tenantId);
	if (!company) return undefined;
	const found =
		source === "customers"
			? await listCounterparties(sql, tenantId, "buyers")
			: [...(await listCounterparties(sql, tenantId, "sellers")), ...(await listIssuers(sql, tenantId))];
	const newestFirst = found.sort((a, b) => b.day.localeCompare(a.day) || a.document.localeCompare(b.document));
	return { plan: company.plan, documents: newestFirst.map(({ document }) => document) };
}

function toTable(entries: readonly Entry[]) {
	const handlers = entries.map(({ kind, atOnce, slow, handler }) => {
		const traced = OF_DOCUMENTS.has(kind) ? traceDocument(handler) : handler;
		return [kind, atOnce ? limitConcurrency(atOnce, traced, slow) : traced] as const;
	});
	const startedMax = entries.flatMap(({ kind, startedMax }) =>
		startedMax === undefined ? [] : [[kind, startedMax] as const],
	);
	const shared = entries.flatMap(({ kind, isShared }) => (isShared ? [kind] : []));
	return {
		work: SUBMISSION_WORK,
		handlers: Object.fromEntries(handlers),
		startedMax: Object.fromEntries(startedMax),
		shared,
	};
}

/** Kinds whose subject is a document. */
const OF_DOCUMENTS: ReadonlySet<string> = new Set([
	OUTBOX_KINDS.submitInvoice,
	OUTBOX_KINDS.archiveInvoice,
	OUTBOX_KINDS.deliverToBuyer,
]);

/** What is done for a document belongs to the document's trace. */
function traceDocument(handler: Handler): Handler {
	return (message) =>
		inSpan(
			{
				...{ name: message.kind, kind: "consumer", docId: message.subject },
				attributes: { "sello.tenant_id": message.tenantId, "sello.failures": message.failures },
			},
			() => handler(message),
		);
}

/** The certificate parser is large, so it is loaded only when a bundle is configured. */
async function readAuthorities(path: string | undefined): Promise<readonly TrustedAuthority[] | undefined> {
	if (path === undefined) return undefined;
	const { readTrustedAuthorities } = await import("../../ecf/verification");
	return readTrustedAuthorities(path);
}
