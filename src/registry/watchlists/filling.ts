/**
 * Fills lists from the documents of their companies: when a list is made, and each night.
 *
 *     new list, or night ─▶ registry.fill ─▶ numbers of the documents, newest first ─▶ without erased ones ─▶ what the plan allows
 *
 * Gap: beyond the plan's limit the numbers with the newest documents stay, and the list says how many are left out. A refusal would leave
 * the list as it was without anyone noticing.
 */
import { PLAN_LIMITS } from "../../identity/rate-limits";
import type { Sql, Tx } from "../../platform/database";
import type { Plan } from "../../platform/operation";
import { append, done, type Handler, OUTBOX_KINDS } from "../../platform/outbox";
import { type Clock, isSameBytes, parseTaxpayerDocument, toLocalIsoDate } from "../../platform/values";
import { blockErasures } from "../erasure";
import { createDigest, keyOf } from "../index/index";
import { packWatched } from "./numbers";
import { NUMBERS_MAX } from "./read-documents";
import { findSource, lockAndCount, lockNumbers, markFilled, type Source, takeUnfilled, writeNumbers } from "./store";

/** Gap: lists are filled from 1:00 in UTC-4 on, before the morning's digests. */
const NIGHT_MS = 3_600_000;

/** The last day whose night has come, `YYYY-MM-DD` in UTC-4. */
export function fillNight(now: Date): string {
	return toLocalIsoDate(new Date(now.getTime() - NIGHT_MS));
}

/** Orders the fillings of a night, each once. Returns how many. */
export function orderFillings(sql: Sql, now: Date): Promise<number> {
	return sql.begin(async (tx) => {
		const lists = await takeUnfilled(tx, fillNight(now));
		for (const { id, tenantId } of lists) await orderFilling(tx, id, tenantId);
		return lists.length;
	});
}

export async function orderFilling(tx: Tx, listId: string, tenantId: string): Promise<void> {
	await append(tx, { kind: OUTBOX_KINDS.fillWatchlist, tenantId, subject: listId });
}

/** A company's customers or suppliers as its documents write them, those of the newest documents first. */
export type Counterparties = { readonly plan: Plan; readonly documents: readonly string[] };

export type FillTools = {
	readonly sql: Sql;
	readonly clock: Clock;
	/** Key of the tombstones' digests. */
	readonly pepper: Uint8Array;
	/** Undefined if the company is gone. */
	readonly readCounterparties: (tenantId: string, source: Source) => Promise<Counterparties | undefined>;
};

/** Handler of `registry.fill`. */
export function createFillWatchlist({ sql, clock, pepper, readCounterparties }: FillTools): Handler {
	const digestOf = createDigest(pepper);
	return async ({ tenantId, subject: id }) => {
		const list = await findSource(sql, id);
		const found = list?.source ? await readCounterparties(tenantId, list.source) : undefined;
		if (!list || !found) return done;
		const digits = new Set(found.documents.flatMap((document) => parseTaxpayerDocument(document)?.digits ?? []));
		await sql.begin(async (tx) => {
			// Before the list's row: an erasure takes them in this order too.
			const erased = new Set(await blockErasures(tx));
			const { numbers } = await lockAndCount(tx, list.ownerId);
			const held = await lockNumbers(tx, id);
			if (!held) return;
			const kept = [...digits].filter((one) => erased.size === 0 || !erased.has(digestOf(one).toString("hex")));
			const others = numbers - held.count;
			const room = Math.max(0, Math.min(NUMBERS_MAX, PLAN_LIMITS[found.plan].registry.watchedNumbers - others));
			const packed = packWatched(kept.slice(0, room).map((one) => ({ key: keyOf(one), reference: "" })));
			if (!isSameBytes(packed.numbers, held.numbers)) await writeNumbers(tx, id, packed);
			await markFilled(tx, id, clock.now(), Math.max(0, kept.length - room));
		});
		return done;
	};
}
