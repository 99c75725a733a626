/**
 * Digests: one mail for each address and day, with the changes of its watchlists since the last one.
 *
 *     morning ─▶ registry.digests ─▶ one transaction: due lists locked and joined, a row and a message for each address, lists marked ─▶
 *     registry.digest ─▶ the mail is composed from the changes that are kept ─▶ sent
 *
 * A process that dies before the commit leaves nothing, and after it a message for each mail. A mail is sent again only if the process dies
 * between the server's acceptance and its record; both copies have the same Message-ID. What was erased meanwhile is not in the mail.
 *
 * Gap: addresses are not asked to confirm. Each mail has a link that stops the digests of all owners to its address and
 * needs no login; the address alone can resume them.
 */
import type { Sql, Tx } from "../../platform/database";
import { MailRefusedError, type MailTransport, sendMail } from "../../platform/mail";
import { append, dead, done, type Handler, OUTBOX_KINDS, retry } from "../../platform/outbox";
import { type Clock, newId, toLocalIsoDate } from "../../platform/values";
import { type ChangeRow, findChanges, findLastOrdinal } from "../changes";
import { type DigestSection, toDigestLetter } from "./digest-letter";
import { ALL_LISTS, isWatched, type JoinedSet, readSets } from "./join";
import { joinNumbers } from "./numbers";
import {
	type DigestList,
	type DigestMail,
	type DigestPart,
	findDigestLists,
	findLeastDue,
	findWaitingDigest,
	insertDigestMails,
	lockDue,
	markDigested,
	markDigestSent,
} from "./store";

/** Gap: digests are sent from 7:00 in UTC-4 on; weekly ones on Mondays, or the next morning on which the service runs. */
const MORNING_MS = 7 * 3_600_000;

/** The last day whose morning has come, `YYYY-MM-DD` in UTC-4. */
export function digestDay(now: Date): string {
	return toLocalIsoDate(new Date(now.getTime() - MORNING_MS));
}

function mondayOf(day: string): string {
	const at = new Date(`${day}T00:00:00Z`);
	at.setUTCDate(at.getUTCDate() - ((at.getUTCDay() + 6) % 7));
	return at.toISOString().slice(0, 10);
}

/** Orders the digests of a day if any is due; a second order finds nothing to do. Returns whether it did. */
export async function orderDigests(sql: Sql, now: Date): Promise<boolean> {
	const day = digestDay(now);
	if ((await findLeastDue(sql, day, mondayOf(day))) === undefined) return false;
	const order = { kind: OUTBOX_KINDS.queueDigests, tenantId: ALL_LISTS, subject: newId() };
	await sql.begin((tx) => append(tx, order));
	return true;
}

type QueueTools = { readonly sql: Sql; readonly clock: Clock; readonly wake: () => void };

/** Handler of `registry.digests`. */
export function createQueueDigests({ sql, clock, wake }: QueueTools): Handler {
	return async () => {
		await sql.begin((tx) => queueDigests(tx, digestDay(clock.now())));
		wake();
		return done;
	};
}

/** Queues the mails of all due lists. */
export async function queueDigests(tx: Tx, day: string): Promise<void> {
	const monday = mondayOf(day);
	const [least, last] = [await findLeastDue(tx, day, monday), await findLastOrdinal(tx)];
	if (least === undefined) return;
	const sets = await readSets(tx, least, last);
	const due: (Pick<DigestList, "id" | "fields"> & { emails: readonly string[]; after: number; hits: number[] })[] = [];
	for await (const { id, fields, emails, numbers, digestOrdinal } of lockDue(tx, day, monday)) {
		due.push({ id, fields, emails, after: digestOrdinal, hits: findNumbersOfHits(sets, numbers, digestOrdinal, last) });
	}
	const changes = await readByNumber(tx, new Set(due.flatMap(({ hits }) => hits)));
	const partsOf = new Map<string, DigestPart[]>();
	for (const { id, fields, emails, after, hits } of due) {
		const hasChange = hits.some((hit) => {
			const change = changes.get(hit);
			return change !== undefined && isWatched(change, fields);
		});
		if (!hasChange) continue;
		for (const address of new Set(emails.map((email) => email.toLowerCase()))) {
			const parts = partsOf.get(address) ?? [];
			partsOf.set(address, [...parts, { list: id, after, upTo: last }]);
		}
	}
	const mails = await insertDigestMails(tx, day, partsOf);
	await append(tx, ...mails.map((subject) => ({ kind: OUTBOX_KINDS.sendDigest, tenantId: ALL_LISTS, subject })));
	await markDigested(
		tx,
		due.map(({ id }) => id),
		day,
		last,
	);
}

/** The numbers of a list's changes in the sets after one and up to another. */
function findNumbersOfHits(sets: readonly JoinedSet[], numbers: Uint8Array, after: number, upTo: number): number[] {
	return sets
		.filter(({ ordinal }) => ordinal > after && ordinal <= upTo)
		.flatMap((set) => joinNumbers(numbers, set.keys).map(([, at]) => set.numbers[at] ?? 0));
}

async function readByNumber(sql: Sql | Tx, numbers: ReadonlySet<number>): Promise<Map<number, ChangeRow>> {
	const changes = await findChanges(sql, [...numbers]);
	return new Map(changes.map((change) => [change.number, change]));
}

export type SendDigest = {
	readonly sql: Sql;
	readonly transport: MailTransport;
	/** Of the service, without a trailing slash. */
	readonly baseUrl: string;
	readonly clock: Clock;
};

/** A mail server may be away for a night; what is older is yesterday's news. */
const TRIED_FOR_SECONDS = 24 * 3_600;
const RETRY_SECONDS = [30, 120, 600, 1_800];
const RETRY_LATER_SECONDS = 3_600;

/** Handler of `registry.digest`: sends one mail. */
export function createSendDigest({ sql, transport, baseUrl, clock }: SendDigest): Handler {
	return async ({ subject: id, failures, ageSeconds }) => {
		const mail = await findWaitingDigest(sql, id);
		if (!mail || transport.isOff === true) return done;
		const letter = toDigestLetter(mail, await readSections(sql, mail), baseUrl);
		if (!letter) return done;
		try {
			await sendMail(transport, { ...letter, id, to: mail.address });
		} catch (error) {
			const reason = error instanceof Error ? error.message : String(error);
			if (error instanceof MailRefusedError || ageSeconds > TRIED_FOR_SECONDS) return dead(reason);
			return retry(RETRY_SECONDS[failures] ?? RETRY_LATER_SECONDS, reason);
		}
		await markDigestSent(sql, id, clock.now());
		return done;
	};
}

async function readSections(sql: Sql, { address, parts }: DigestMail): Promise<DigestSection[]> {
	const byList = new Map(parts.map((part) => [part.list, part]));
	const least = Math.min(...parts.map(({ after }) => after));
	const sets = await readSets(sql, least, Math.max(...parts.map(({ upTo }) => upTo)));
	const sections: DigestSection[] = [];
	for (const list of await findDigestLists(sql, [...byList.keys()], address)) {
		const { after = 0, upTo = 0 } = byList.get(list.id) ?? {};
		const labels = list.labels.split("\n");
		const references = new Map<number, string>();
		for (const set of sets) {
			if (set.ordinal <= after || set.ordinal > upTo) continue;
			for (const [place, at] of joinNumbers(list.numbers, set.keys)) {
				references.set(set.numbers[at] ?? 0, labels[place] ?? "");
			}
		}
		const changes = await findChanges(sql, [...references.keys()]);
		const watched = changes.filter((change) => isWatched(change, list.fields));
		sections.push({
			list,
			changes: watched.map((change) => ({ ...change, reference: references.get(change.number) ?? "" })),
		});
	}
	return sections.filter(({ changes }) => changes.length > 0);
}
