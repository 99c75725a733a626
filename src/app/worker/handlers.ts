/** What a dispatch thread carries out: each kind of message with its handler, and how many of it at a time. */

import { createSendAnnouncement, readChangelog } from "../../api/changelog";
import { createMakeExport } from "../../archive";
import type { TrustedAuthority } from "../../ecf/verification";
import { createDeliver, createProbe } from "../../events/webhooks";
import {
	createApplyRule,
	createArchiveApproval,
	createSendToAuthority,
	createSendToIssuer,
} from "../../exchange/approvals";
import { createArchiveReceived, createQueryAuthority } from "../../exchange/reception";
import { createDeliverToBuyer, deliverAccepted } from "../../invoicing/buyer-delivery";
import { createAdvance, wakeTestSets } from "../../invoicing/certification";
import { createMailAccepted, createSendEmail, mailAccepted } from "../../invoicing/email";
import {
	archiveDecided,
	createArchiveInvoice,
	createSubmit,
	verdictEvents,
	wakeWaitingNotes,
} from "../../invoicing/invoices";
import { createSendVoid } from "../../invoicing/sequences";
import type { VerdictReaction } from "../../invoicing/verdicts";
import { atMost, type Dispatcher, type Handler, type Handlers, OUTBOX_KINDS, type Slow } from "../../platform/outbox";
import type { DispatchParts } from "./components";

type Lane = {
	readonly kind: string;
	/** Carried out at a time; absent: as many as the thread has slots. */
	readonly atOnce?: number;
	/** Claimed at a time, so that the next one is at hand and other processes have their part; absent: as many as the thread has slots. */
	readonly heldMax?: number;
	/** Places are shared out between tenants, and one is free for who holds none. */
	readonly isShared?: true;
	readonly slow?: Slow;
	readonly handler: Handler;
};

/** Of each kind but deliveries, which take as many slots as there are: they wait for receivers, and do nothing meanwhile. */
const SENT = { atOnce: 64, heldMax: 128, isShared: true } as const;
/** An archived document waits for the disk and for its batch most of its time: with fewer of them neither thread nor database is busy. */
const ARCHIVED = { atOnce: 128, heldMax: 256 };
/** Steps of test sets at a time: each signs a score of documents, or plays them against a simulator of its own. */
const SETS = { atOnce: 4, heldMax: 8 };
/** Exports of the archive at a time: each takes up to half of the thread, whatever else it does. */
const EXPORTS = { atOnce: 1, heldMax: 1 };
/** Documents that rules look at, or that are to be mailed: a few statements each. */
const RULES = { atOnce: 8, heldMax: 128 };
/**
 * Connections to one mail server, which limits them, for each kind of mail. A server may take ten minutes for its word on a mail, and says none where the
 * connection has died: a few such must not hold up all others.
 */
const MAILS = { atOnce: 4, heldMax: 128, slow: { afterMs: 60_000, max: 28 } };

/** What follows from a verdict, in the transaction that writes it. Messages are written in this order. */
export const VERDICT_REACTIONS: readonly VerdictReaction[] = [
	verdictEvents,
	archiveDecided,
	deliverAccepted,
	mailAccepted,
	wakeWaitingNotes,
	wakeTestSets,
];

/** `wake` tells dispatchers that messages wait; `openHandover` is this thread's, for what a verdict causes. */
export async function openLanes(
	parts: DispatchParts,
	{ wake, openHandover }: { readonly wake: () => void; readonly openHandover: Dispatcher["openHandover"] },
): Promise<{
	readonly handlers: Handlers;
	readonly heldMax: Readonly<Record<string, number>>;
	readonly shared: readonly string[];
}> {
	const { setup, environment, log, metrics, sql, clock, archive, authority, authorityStatus, openKey } = parts;
	const { directory, peers, printer } = parts;
	const { internalSlaSeconds, authorityUrls, exportsDir: folder, baseUrl } = setup;
	const delivery = {
		...{ sql, envelope: parts.envelope, clock, log, metrics, ...parts.resolving },
		policy: { environment, allow: new Set(setup.webhookAllow) },
		timeScale: setup.webhookTimeScale,
		retriesMax: setup.webhookRetriesMax,
	};
	const approval = { sql, authority, directory, peers, openKey, clock };
	const submission = {
		sql,
		authority,
		authorityStatus,
		environment,
		internalSlaSeconds,
		clock,
		log,
		metrics,
		reactions: VERDICT_REACTIONS,
	};
	const authorities = await readAuthorities(setup.trustedCaFile);
	const email = { sql, transports: parts.emails, printer, environment, authorityStatus, clock, log };
	const announcement = { sql, transport: parts.mail, changelog: readChangelog(), baseUrl, clock };

	return toLanes([
		{ kind: OUTBOX_KINDS.submitInvoice, ...SENT, handler: createSubmit({ ...submission, wake, openHandover }) },
		{ kind: OUTBOX_KINDS.voidSequence, ...SENT, handler: createSendVoid({ sql, authority, openKey, clock }) },
		{ kind: OUTBOX_KINDS.sendApprovalToAuthority, ...SENT, handler: createSendToAuthority(approval) },
		{ kind: OUTBOX_KINDS.sendApprovalToIssuer, ...SENT, handler: createSendToIssuer(approval) },
		{ kind: OUTBOX_KINDS.archiveApproval, ...SENT, handler: createArchiveApproval({ sql, archive, environment }) },
		{ kind: OUTBOX_KINDS.applyApprovalRule, ...RULES, handler: createApplyRule({ sql, clock, wake }) },
		{
			kind: OUTBOX_KINDS.advanceTestSet,
			...SETS,
			handler: createAdvance({ sql, environment, authorityUrls, openKey, openStage: parts.openStage, clock, wake }),
		},
		{ kind: OUTBOX_KINDS.archiveInvoice, ...ARCHIVED, handler: createArchiveInvoice({ sql, archive, environment }) },
		{ kind: OUTBOX_KINDS.archiveReceived, ...SENT, handler: createArchiveReceived({ sql, archive, environment }) },
		{ kind: OUTBOX_KINDS.queryReceived, ...SENT, handler: createQueryAuthority({ sql, authority, clock }) },
		{ kind: OUTBOX_KINDS.buildExport, ...EXPORTS, handler: createMakeExport({ sql, archive, folder, clock, log }) },
		{
			kind: OUTBOX_KINDS.deliverToBuyer,
			...SENT,
			handler: createDeliverToBuyer({ sql, directory, peers, clock, log, wake, authorities }),
		},
		{ kind: OUTBOX_KINDS.deliverWebhook, handler: createDeliver(delivery) },
		{ kind: OUTBOX_KINDS.probeEndpoint, handler: createProbe({ ...delivery, wake }) },
		{
			kind: OUTBOX_KINDS.emailInvoice,
			...MAILS,
			handler: createSendEmail({ ...email, wantsNotices: setup.wantsMailNotices }),
		},
		{ kind: OUTBOX_KINDS.emailOnRequest, ...RULES, handler: createMailAccepted({ sql, clock, wake }) },
		{ kind: OUTBOX_KINDS.announceRelease, ...MAILS, handler: createSendAnnouncement(announcement) },
	]);
}

function toLanes(lanes: readonly Lane[]) {
	const handlers = lanes.map(
		({ kind, atOnce, slow, handler }) => [kind, atOnce ? atMost(atOnce, handler, slow) : handler] as const,
	);
	const heldMax = lanes.flatMap(({ kind, heldMax }) => (heldMax === undefined ? [] : [[kind, heldMax] as const]));
	const shared = lanes.flatMap(({ kind, isShared }) => (isShared ? [kind] : []));
	return { handlers: Object.fromEntries(handlers), heldMax: Object.fromEntries(heldMax), shared };
}

/** What reads certificates comes where there is a bundle to read. */
async function readAuthorities(path: string | undefined): Promise<readonly TrustedAuthority[] | undefined> {
	if (path === undefined) return undefined;
	const { readTrustedAuthorities } = await import("../../ecf/verification");
	return readTrustedAuthorities(path);
}
