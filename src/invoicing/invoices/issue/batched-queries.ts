/**
 * The database queries of issuing, in batches: requests that arrive together share statements and transactions.
 *
 *   preflight   all that a request is checked against, see `issue-store.ts`
 *   issuer      company and certificate, once for all requests of a tenant, and only when they have changed
 *   store       key, invoice, signed bytes and message of many invoices in one transaction
 *   status      of documents whose callers wait for a verdict; thousands of them during an outage of the authority
 *
 * A commit costs the same for one invoice as for many, and so does starting a statement: an invoice alone costs four times as much as one
 * among twelve. Each invoice is stored or refused on its own: a unique key that is taken leaves out that invoice alone. An error reaches all
 * requests that share the transaction, and each of them then retries alone.
 */

import { createIssuerCache, findIssuers, type Issuer, type IssuerCache } from "../../../companies";
import { type Batcher, createBatcher } from "../../../platform/concurrency";
import type { Sql } from "../../../platform/database";
import { nameOfPlace } from "../../../platform/idempotency";
import { byShard } from "../../../platform/lanes";
import type { Clock } from "../../../platform/values";
import type { DocKey, Status } from "../model/invoice-row";
import { findStatuses } from "../model/store";
import {
	type PreflightQuery,
	type PreflightResult,
	runPreflight,
	type StoreOutcome,
	storeParts,
	type ToStore,
} from "./issue-store";

export type BatchedQueries = {
	readonly preflight: Batcher<PreflightQuery, PreflightResult>;
	readonly findIssuer: Batcher<string, Issuer | undefined>;
	/** The issuer whose version the preflight has just found. */
	readonly issuers: IssuerCache;
	readonly store: Batcher<ToStore, StoreOutcome>;
	/** Undefined for a document that does not exist. */
	readonly findStatus: Batcher<DocKey, Status | undefined>;
};

/** Short, because each invoice waits for it twice. */
const PACE_MS = 5;
const READS = { itemsMax: 200, runsMax: 2 };
/** Two, so that one batch fills while the other waits for the disk. */
const WRITES = { itemsMax: 64, runsMax: 2, spacingMs: PACE_MS };
/** Callers that wait for a verdict can wait a little longer, and must not take a second connection from the others. */
const LOOKS = { itemsMax: 1_000, runsMax: 1, spacingMs: 20 };

type QueryDeps = { readonly sql: Sql; readonly clock: Clock; readonly isByShard?: boolean };

export function createBatchedQueries({ sql, clock, isByShard }: QueryDeps): BatchedQueries {
	const findIssuer = createBatcher(async (tenantIds: readonly string[]) => {
		const distinct = [...new Set(tenantIds)];
		const issuers = await findIssuers(sql, distinct, clock.now());
		const byTenant = new Map(distinct.map((tenantId, i) => [tenantId, issuers[i]]));
		return tenantIds.map((tenantId) => byTenant.get(tenantId));
	}, READS);
	return {
		preflight: createBatcher((queries: readonly PreflightQuery[]) => runPreflight(sql, queries, clock.now()), {
			...{ ...READS, spacingMs: PACE_MS },
			...byShard(isByShard, ({ place }: PreflightQuery) => place.scopeId),
		}),
		findIssuer,
		issuers: createIssuerCache(findIssuer),
		store: createBatcher((all: readonly ToStore[]) => storeAll(sql, all), {
			...WRITES,
			...byShard(isByShard, ({ row }: ToStore) => row.tenantId),
		}),
		findStatus: createBatcher(async (keys: readonly DocKey[]) => {
			const statuses = await findStatuses(sql, keys);
			return keys.map(({ docId }) => statuses.get(docId));
		}, LOOKS),
	};
}

/** Stores the first of invoices that collide with one another. */
export async function storeAll(sql: Sql, all: readonly ToStore[]): Promise<StoreOutcome[]> {
	const distinct = pickDistinct(all);
	const stored = await storeParts(sql, distinct);
	const outcomes = new Map(distinct.map((one, i) => [one, stored[i]]));
	if (distinct.length === all.length) return all.map((one) => outcomes.get(one) ?? "collision");
	const keys = new Set(distinct.map(nameOfKey));
	return all.map((one) => outcomes.get(one) ?? (keys.has(nameOfKey(one)) ? "repeat-of-key" : "collision"));
}

const nameOfKey = ({ row, key }: ToStore): string => `key ${key ? nameOfPlace(key.place) : row.docId}`;

/** Invoices of which no two have the same key, number or client_request_id: a statement cannot settle collisions within itself. */
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
