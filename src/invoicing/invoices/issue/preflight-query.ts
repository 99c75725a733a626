/**
 * What issuing asks the database before it signs: one statement for all requests that come at the same time.
 *
 *   replay     the answer that the key has already
 *   issuer     which version of company and certificate is in force, so that they are read only when they have changed
 *   collides   whether the number or the client's id is taken, or the number voided; only saves the work of signing
 *   expiry     last day of the registered sequence that the number belongs to
 *
 * Every part is a look-up by index for each request, and is written so that it stays one: a sub-query with a limit is neither hashed nor
 * merged, and JSON rows are as many to the planner whatever they are, so that it plans once.
 */
import { issuerVersion } from "../../../companies";
import { type Sql, toJsonText } from "../../../platform/database";
import { findFreshAnswer, type KeyPlace, type StoredAnswer, takeAnswer } from "../../../platform/idempotency";
import { sequenceExpiry } from "../../sequences";

export type Sought = {
	readonly place: KeyPlace;
	/** Absent where the request cannot be read, or leaves its number to us. */
	readonly encf?: string | undefined;
	readonly clientRequestId?: string | undefined;
};

export type Facts = {
	readonly replay: StoredAnswer | undefined;
	/** Null without a company. */
	readonly issuerVersion: string | null;
	readonly collides: boolean;
	readonly expiresOn: string | undefined;
};

type Row = Omit<Facts, "replay" | "expiresOn"> & { readonly n: number; readonly expiresOn: string | null };

/** The tenant is the scope of the key. */
export async function lookUp(sql: Sql, all: readonly Sought[], now: Date): Promise<Facts[]> {
	const asked = all.map(({ place, encf, clientRequestId }, n) => ({
		n,
		tenant_id: place.scopeId,
		operation: place.operation,
		key: place.key,
		encf,
		number: encf === undefined ? undefined : Number(encf.slice(3)),
		type: encf?.slice(1, 3),
		client_id: clientRequestId,
	}));
	const rows = await sql<Row[]>`
		select w.n, k.*, ${issuerVersion(sql, sql`w.tenant_id`, now)} as "issuerVersion",
			coalesce(
				case when w.client_id is not null then
					(select true from invoices i where i.tenant_id = w.tenant_id and i.client_request_id = w.client_id limit 1) end,
				case when w.encf is not null then
					(select true from invoices i where i.tenant_id = w.tenant_id and i.encf = w.encf and not i.encf_released limit 1) end,
				(select true from sequence_voids v where v.tenant_id = w.tenant_id and v.type = w.type
					and v.numbers @> w.number and v.elsewhere is null and v.status not in ('rejected', 'failed') limit 1),
				false
			) as collides,
			${sequenceExpiry(sql)} as "expiresOn"
		from json_to_recordset(${toJsonText(asked)}::text::json)
			as w(n int, tenant_id uuid, operation text, key uuid, encf text, number bigint, type text, client_id text)
		left join lateral (${findFreshAnswer(sql)}) k on true`;
	const facts = new Map(
		rows.map((row) => {
			const { n, issuerVersion, collides, expiresOn } = row;
			return [n, { replay: takeAnswer(row), issuerVersion, collides, expiresOn: expiresOn ?? undefined }];
		}),
	);
	return all.map(
		(_, n) => facts.get(n) ?? { replay: undefined, issuerVersion: null, collides: false, expiresOn: undefined },
	);
}
