/** Companies with sequences in a database of their own, and documents to be stored under their numbers. */

import type { ToStore } from "../../../../src/invoicing/invoices/issue/issue-store";
import { registerSequence } from "../../../../src/invoicing/sequences/register-sequence";
import type { Sql } from "../../../../src/platform/database";
import { newId } from "../../../../src/platform/values";
import { toInvoice } from "../../../support/submission";

export const TODAY = "2026-11-20";
export const NOW = new Date("2026-11-20T16:00:00.000Z");
export const clock = { now: () => NOW };

let companies = 0;

export async function insertTenant(sql: Sql): Promise<string> {
	const tenantId = newId();
	const rnc = String(990_000_000 + ++companies);
	await sql`
		insert into companies (tenant_id, environment, authority_environment, rnc, name, plan, registry, settings)
		values (${tenantId}, 'sandbox', 'test', ${rnc}, 'FERRETERIA', 'free', '{}', '{}')`;
	return tenantId;
}

export const encfOf = (number: number, type = "31") => `E${type}${String(number).padStart(10, "0")}`;

/** Registers numbers of type 31, or of the one given. */
export function register(
	sql: Sql,
	tenantId: string,
	[first, last]: readonly [number, number],
	{ type = "31" as const, expiresAt = "2027-12-31" as string | null } = {},
) {
	const request = { type, from: encfOf(first, type), to: encfOf(last, type), expiresAt };
	return sql.begin((tx) => registerSequence(tx, tenantId, request, NOW));
}

/** A signed document under a number, ready to be stored. */
export function documentUnder(
	tenantId: string,
	encf: string,
	holdId?: string,
	key: string = crypto.randomUUID(),
): ToStore {
	return {
		key: { place: { scopeId: tenantId, operation: "POST /v1/invoices", key }, rawSha256: Buffer.alloc(32, 1) },
		row: toInvoice(tenantId, {
			...(holdId === undefined ? {} : { holdId }),
			...{ type: encf.slice(1, 3), encf, receivedAt: NOW, ecf: `<ECF>${encf}</ECF>` },
		}),
	};
}

/** Gives the number of a document back, as a verdict does. */
export async function releaseNumber(sql: Sql, { row }: Pick<ToStore, "row">): Promise<void> {
	await sql`select release_numbers(array[${row.tenantId}::uuid], array[${row.docId}::uuid])`;
}

/** Numbers of a tenant's documents that the authority has not given back, sorted. */
export async function usedNumbers(sql: Sql, tenantId: string): Promise<number[]> {
	const rows = await sql<{ encf: string }[]>`
		select name as encf from names where tenant_id = ${tenantId} and kind = 't' order by name`;
	return rows.map(({ encf }) => Number(encf.slice(3)));
}

/** The free numbers of a tenant, as the database writes them. */
export async function freeNumbers(sql: Sql, tenantId: string): Promise<string[]> {
	const rows = await sql<{ free: string }[]>`
		select free::text as free from sequences where tenant_id = ${tenantId} order by type, numbers`;
	return rows.map(({ free }) => free);
}
