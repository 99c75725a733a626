/**
 * What issuing asks of the database, gathered: requests that come at the same time share statements and transactions.
 *
 *   look up    everything that a request is checked against, see `look-up.ts`
 *   issuer     company and certificate, once for all requests of a tenant, and only where they have changed
 *   store      key, invoice, signed bytes and message of many invoices in one transaction
 *   status     of the documents whose callers wait for a verdict: while the authority is away there may be thousands, all the time
 *
 * One commit for many invoices costs what it costs for one, and so does beginning a statement: an invoice by itself costs four times what
 * one among twelve does. So where several requests come at a time, those of the next milliseconds go together. Each invoice is stored or refused for itself: unique keys that are taken leave
 * that invoice out and no other. An error is told to all that shared the transaction, and each of them tries again by itself.
 */

import { createIssuerCache, findIssuers, type Issuer, type IssuerCache } from "../../../companies";
import { type Batcher, createBatcher } from "../../../platform/concurrency";
import type { Sql } from "../../../platform/database";
import { nameOfPlace } from "../../../platform/idempotency";
import type { Clock } from "../../../platform/values";
import type { Status } from "../model/invoice-row";
import { findStatuses } from "../model/store";
import { type Facts, lookUp, type Sought, type StoreOutcome, storeParts, type ToStore } from "./issue-store";

export type Gathered = {
	readonly lookUp: Batcher<Sought, Facts>;
	readonly findIssuer: Batcher<string, Issuer | undefined>;
	/** The issuer whose version has just been looked up. */
	readonly issuers: IssuerCache;
	readonly store: Batcher<ToStore, StoreOutcome>;
	/** Undefined for a document that is not there. */
	readonly findStatus: Batcher<string, Status | undefined>;
};

/** An invoice meets it twice, so it is short: callers who wait for each answer would wait more than the service works. */
const PACE_MS = 5;
const READS = { itemsMax: 200, runsMax: 2 };
/** While one transaction waits for the disk another one fills. */
const WRITES = { itemsMax: 64, runsMax: 2, spacingMs: PACE_MS };
/** Who waits for a verdict has time, and must not take a second connection from those who do not. */
const LOOKS = { itemsMax: 1_000, runsMax: 1, spacingMs: 20 };

export function createGathered({ sql, clock }: { readonly sql: Sql; readonly clock: Clock }): Gathered {
	const findIssuer = createBatcher(async (tenantIds: readonly string[]) => {
		const distinct = [...new Set(tenantIds)];
		const issuers = await findIssuers(sql, distinct, clock.now());
		const byTenant = new Map(distinct.map((tenantId, i) => [tenantId, issuers[i]]));
		return tenantIds.map((tenantId) => byTenant.get(tenantId));
	}, READS);
	return {
		lookUp: createBatcher((sought) => lookUp(sql, sought, clock.now()), { ...READS, spacingMs: PACE_MS }),
		findIssuer,
		issuers: createIssuerCache(findIssuer),
		store: createBatcher((all) => storeAll(sql, all), WRITES),
		findStatus: createBatcher(async (docIds: readonly string[]) => {
			const statuses = await findStatuses(sql, docIds);
			return docIds.map((docId) => statuses.get(docId));
		}, LOOKS),
	};
}

/** Of those that collide with one another the first is stored. */
export async function storeAll(sql: Sql, all: readonly ToStore[]): Promise<StoreOutcome[]> {
	const alone = pickDistinct(all);
	const told = await storeParts(sql, alone);
	const outcomes = new Map(alone.map((one, i) => [one, told[i]]));
	if (alone.length === all.length) return all.map((one) => outcomes.get(one) ?? "collision");
	const keys = new Set(alone.map(nameOfKey));
	return all.map((one) => outcomes.get(one) ?? (keys.has(nameOfKey(one)) ? "repeat-of-key" : "collision"));
}

const nameOfKey = ({ row, key }: ToStore): string => `key ${key ? nameOfPlace(key.place) : row.docId}`;

/** No two of them with the same key, number or client's id: a statement cannot settle what collides within itself. */
function pickDistinct(all: readonly ToStore[]): ToStore[] {
	const taken = new Set<string>();
	return all.filter((one) => {
		const { tenantId, encf, clientRequestId } = one.row;
		const names = [nameOfKey(one), `encf ${tenantId} ${encf}`];
		if (clientRequestId !== null) names.push(`id ${tenantId} ${clientRequestId}`);
		if (names.some((name) => taken.has(name))) return false;
		for (const name of names) taken.add(name);
		return true;
	});
}
