/**
 * What issuing asks of the database, gathered: requests that come at the same time share statements and transactions.
 *
 *   replay     the answer that a key has already
 *   issuer     company and certificate, once for all requests of a tenant
 *   collides   whether the number or the client's id is taken; only saves the work of signing
 *   store      key, invoice, signed bytes and message of many invoices in one transaction
 *
 * One commit for many invoices costs what it costs for one. Each invoice is stored or refused for itself: unique keys that are taken leave
 * that invoice out and no other. An error is told to all that shared the transaction, and each of them tries again by itself.
 */
import { findIssuers, type Issuer } from "../companies";
import { createGather, type Gather, type Sql, type Tx } from "../database";
import { dropAnswers, findAnswers, type KeyPlace, nameOfPlace, type StoredAnswer, saveAnswers } from "../idempotency";
import { append } from "../outbox";
import { faultPoint } from "../telemetry";
import type { Clock } from "../values";
import { insertNumbered } from "./insert-numbered";
import type { NewInvoice } from "./invoice-row";
import { findCollisions, type Sought } from "./store";

export type ToStore = {
	readonly place: KeyPlace;
	readonly stored: StoredAnswer;
	readonly row: NewInvoice;
};
/** `number-lost`: the hold of its number has ended, so the number may be another document's. */
export type StoreOutcome = "stored" | "repeat-of-key" | "collision" | "number-lost";

export type Gathered = {
	readonly findReplay: Gather<KeyPlace, StoredAnswer | undefined>;
	readonly findIssuer: Gather<string, Issuer | undefined>;
	readonly collides: Gather<Sought, boolean>;
	readonly store: Gather<ToStore, StoreOutcome>;
};

const READS = { itemsMax: 200, runsMax: 2 };
/** While one transaction waits for the disk another one fills. */
const WRITES = { itemsMax: 64, runsMax: 2 };

export function createGathered({ sql, clock }: { readonly sql: Sql; readonly clock: Clock }): Gathered {
	return {
		findReplay: createGather((places) => findAnswers(sql, places), READS),
		findIssuer: createGather(async (tenantIds) => {
			const distinct = [...new Set(tenantIds)];
			const issuers = await findIssuers(sql, distinct, clock.now());
			const byTenant = new Map(distinct.map((tenantId, i) => [tenantId, issuers[i]]));
			return tenantIds.map((tenantId) => byTenant.get(tenantId));
		}, READS),
		collides: createGather((sought) => findCollisions(sql, sought), READS),
		store: createGather((all) => storeAll(sql, all), WRITES),
	};
}

/** One transaction. Of those that collide with one another the first is stored. */
export async function storeAll(sql: Sql, all: readonly ToStore[]): Promise<StoreOutcome[]> {
	const alone = pickDistinct(all);
	const outcomes = await sql.begin((tx) => storeDistinct(tx, alone));
	return all.map((one) => {
		const at = alone.indexOf(one);
		if (at >= 0) return outcomes[at] ?? "collision";
		const hasSameKey = alone.some((other) => nameOfPlace(other.place) === nameOfPlace(one.place));
		return hasSameKey ? "repeat-of-key" : "collision";
	});
}

async function storeDistinct(tx: Tx, all: readonly ToStore[]): Promise<StoreOutcome[]> {
	faultPoint("before-key");
	const isFirst = await saveAnswers(tx, all);
	faultPoint("after-key");
	const firsts = all.filter((_, i) => isFirst[i]);
	const { stored, lost } = await insertNumbered(
		tx,
		firsts.map(({ row }) => row),
	);
	const kept = firsts.filter(({ row }) => stored.has(row.docId));
	const left = firsts.filter(({ row }) => !stored.has(row.docId));
	if (left.length > 0)
		await dropAnswers(
			tx,
			left.map(({ place }) => place),
		);
	faultPoint("after-store");
	await append(tx, ...kept.map(({ row }) => ({ kind: "invoice.submit", tenantId: row.tenantId, subject: row.docId })));
	faultPoint("before-commit");
	return all.map(({ row }, i) => {
		if (!isFirst[i]) return "repeat-of-key";
		if (lost.has(row.docId)) return "number-lost";
		return stored.has(row.docId) ? "stored" : "collision";
	});
}

/** No two of them with the same key, number or client's id: a statement cannot settle what collides within itself. */
function pickDistinct(all: readonly ToStore[]): ToStore[] {
	const taken = new Set<string>();
	return all.filter(({ place, row }) => {
		const names = [
			`key ${nameOfPlace(place)}`,
			`encf ${row.tenantId} ${row.encf}`,
			...(row.clientRequestId === null ? [] : [`id ${row.tenantId} ${row.clientRequestId}`]),
		];
		if (names.some((name) => taken.has(name))) return false;
		for (const name of names) taken.add(name);
		return true;
	});
}
