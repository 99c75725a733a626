/** SQL on deliveries to buyers, attempts, acknowledgements, and the cached directory. */

import type { Listing, Receiver, Segment } from "../../authority/client";
import { type Sql, type Tx, toJsonText } from "../../platform/database";
import { done, leaseParts, type Message } from "../../platform/outbox";
import type { BuyerDeliveryState } from "./parcel";

export type ParcelRow = {
	readonly docId: string;
	readonly tenantId: string;
	readonly type: string;
	readonly encf: string;
	readonly clientRequestId: string | null;
	/** Null until a verdict accepts it. */
	readonly version: number | null;
	readonly testSetId: string | null;
	readonly issuerRnc: string;
	/** Digits. */
	readonly customerRnc: string | null;
	/** The environment that it was signed for, so that test documents never go to real buyers after the company's move. */
	readonly segment: Segment;
	/** Null before the first attempt. */
	readonly state: BuyerDeliveryState | null;
};

export async function findParcels(
	sql: Sql | Tx,
	keys: readonly Pick<ParcelRow, "tenantId" | "docId">[],
): Promise<(ParcelRow | undefined)[]> {
	const ids = keys.map(({ docId }) => docId).toSorted();
	// Partitions outside of this range are not opened.
	const isNear = (column: ReturnType<Sql>) =>
		sql`${column} between ${ids[0] ?? null}::uuid and ${ids.at(-1) ?? null}::uuid`;
	const rows = await sql<ParcelRow[]>`
		select d.doc_id as "docId", d.tenant_id as "tenantId", d.type::text as type, d.encf, d.client_request_id as "clientRequestId",
			v.version, d.test_set_id as "testSetId", c.rnc as "issuerRnc", d.customer_rnc as "customerRnc",
			case d.environment when 't' then 'testecf' when 'c' then 'certecf' else 'ecf' end as segment, b.state
		from unnest(${keys.map(({ tenantId }) => tenantId)}::uuid[], ${keys.map(({ docId }) => docId)}::uuid[]) as w(tenant_id, doc_id)
		join documents d on d.tenant_id = w.tenant_id and d.doc_id = w.doc_id and ${isNear(sql`d.doc_id`)}
		join companies c on c.tenant_id = d.tenant_id
		left join verdicts v on v.tenant_id = d.tenant_id and v.doc_id = d.doc_id and v.status = 'a' and ${isNear(sql`v.doc_id`)}
		left join buyer_deliveries b on b.tenant_id = d.tenant_id and b.doc_id = d.doc_id`;
	const byId = new Map(rows.map((row) => [row.docId, row]));
	return keys.map(({ docId }) => byId.get(docId));
}

export type Addressed = { readonly docId: string; readonly tenantId: string; readonly buyerRnc: string };

/** Ends deliveries whose buyers do not receive electronically, and their messages. False for a lost lease. */
export async function writeNotListed(
	sql: Sql,
	all: readonly { readonly message: Message; readonly to: Addressed }[],
): Promise<boolean[]> {
	const rows = all.map(({ message, to }) => ({
		...{ id: message.id, doc_id: to.docId, tenant_id: to.tenantId, buyer_rnc: to.buyerRnc },
	}));
	const settlements = all.map(({ message }) => ({ message, outcome: done }));
	const held = await sql<{ id: string }[]>`
		with ${leaseParts(sql, settlements)}, kept as (
			insert into buyer_deliveries as d (doc_id, tenant_id, buyer_rnc, state)
			select s.doc_id, s.tenant_id, s.buyer_rnc, 'not-listed'
			from json_to_recordset(${toJsonText(rows)}::text::json) as s(id uuid, doc_id uuid, tenant_id uuid, buyer_rnc text)
			join held h using (id)
			on conflict (tenant_id, doc_id) do update set state = excluded.state, version = d.version + 1, updated_at = now()
			where d.state = 'pending'
		)
		select id from held`;
	const ids = new Set(held.map(({ id }) => id));
	return all.map(({ message }) => ids.has(message.id));
}

export type OpenedAttempt = {
	readonly n: number;
	/** An earlier attempt may have arrived: its result is unknown or missing. */
	readonly mayHaveArrived: boolean;
};

/** Opens an attempt before bytes are sent to a host. */
export async function openAttempt(tx: Tx, to: Addressed, host: string): Promise<OpenedAttempt> {
	await insertPending(tx, to);
	const [row] = await tx<OpenedAttempt[]>`
		insert into buyer_papers (tenant_id, doc_id, n, kind, host)
		select ${to.tenantId}, ${to.docId}, coalesce(max(n), 0) + 1, 'intent', ${host} from buyer_papers
		where tenant_id = ${to.tenantId} and doc_id = ${to.docId}
		returning n, exists (
			select 1 from buyer_papers i
			left join buyer_papers r on r.tenant_id = i.tenant_id and r.doc_id = i.doc_id and r.n = i.n and r.kind = 'result'
			where i.tenant_id = ${to.tenantId} and i.doc_id = ${to.docId} and i.kind = 'intent' and (r.result is null or r.result = 'unknown')
		) as "mayHaveArrived"`;
	if (!row) throw new Error(`document ${to.docId} got no attempt`);
	return row;
}

async function insertPending(tx: Tx, { docId, tenantId, buyerRnc }: Addressed): Promise<void> {
	await tx`
		insert into buyer_deliveries (doc_id, tenant_id, buyer_rnc, state)
		values (${docId}, ${tenantId}, ${buyerRnc}, 'pending') on conflict (tenant_id, doc_id) do nothing`;
}

export type AttemptResult = "delivered" | "refused" | "not-sent" | "unknown";

export type AttemptEnd = {
	readonly result: AttemptResult;
	readonly httpStatus: number | null;
	readonly detail: string | null;
};

const DETAIL_MAX = 500;

/** Valid ones only. */
export type ReceivedAcknowledgement = {
	readonly isReceived: boolean;
	readonly motive: number | null;
	readonly bytes: Uint8Array;
	readonly sha256: Uint8Array;
	readonly signer: string;
};

export async function closeAttempt(
	tx: Tx,
	{ tenantId, docId }: Addressed,
	n: number,
	end: AttemptEnd,
	a: ReceivedAcknowledgement | undefined,
): Promise<void> {
	await tx`
		insert into buyer_papers (tenant_id, doc_id, n, kind, result, http_status, detail, state, motive, acknowledgement, sha256, signer)
		values (${tenantId}, ${docId}, ${n}, 'result', ${end.result}, ${end.httpStatus}, ${toDetail(end.detail)},
			${a ? (a.isReceived ? 0 : 1) : null}, ${a?.motive ?? null}, ${a?.bytes ?? null}, ${a?.sha256 ?? null},
			${toDetail(a?.signer ?? null)})`;
}

/** Ends a pending delivery. False if it has ended already. */
export async function endDelivery(
	tx: Tx,
	to: Addressed,
	end: { readonly state: BuyerDeliveryState; readonly motive: number | null; readonly detail: string | null },
): Promise<boolean> {
	await insertPending(tx, to);
	const rows = await tx`
		update buyer_deliveries
		set state = ${end.state}, motive = ${end.motive}, detail = ${toDetail(end.detail)}, version = version + 1, updated_at = now()
		where tenant_id = ${to.tenantId} and doc_id = ${to.docId} and state = 'pending' returning 1`;
	return rows.length > 0;
}

function toDetail(text: string | null): string | null {
	return text?.replaceAll("\u0000", "\ufffd").slice(0, DETAIL_MAX) ?? null;
}

/** Returns a failed delivery to pending. False if there is nothing to retry. */
export async function reopenDelivery(tx: Tx, tenantId: string, docId: string): Promise<boolean> {
	const rows = await tx`
		update buyer_deliveries set state = 'pending', motive = null, detail = null, version = version + 1, updated_at = now()
		where tenant_id = ${tenantId} and doc_id = ${docId} and state in ('not-listed', 'refused', 'undelivered') returning 1`;
	return rows.length > 0;
}

export type BuyerDeliveryRow = {
	readonly docId: string;
	readonly buyerRnc: string;
	readonly state: BuyerDeliveryState;
	readonly motive: number | null;
	readonly detail: string | null;
	readonly version: number;
	readonly createdAt: Date;
	readonly updatedAt: Date;
};

export type AttemptRow = AttemptEnd & {
	readonly n: number;
	readonly host: string;
	readonly intentAt: Date;
	readonly result: AttemptResult | null;
};

export type AcknowledgementRow = ReceivedAcknowledgement & { readonly n: number; readonly receivedAt: Date };

/** A tenant's own delivery with its last hundred attempts, oldest first. */
export async function findDelivery(
	sql: Sql | Tx,
	tenantId: string,
	docId: string,
): Promise<{ delivery: BuyerDeliveryRow; attempts: AttemptRow[] } | undefined> {
	const [delivery] = await sql<BuyerDeliveryRow[]>`
		select doc_id as "docId", buyer_rnc as "buyerRnc", state, motive, detail, version, created_at as "createdAt",
			updated_at as "updatedAt"
		from buyer_deliveries where tenant_id = ${tenantId} and doc_id = ${docId}`;
	if (!delivery) return undefined;
	const attempts = await sql<AttemptRow[]>`
		select i.n, i.host, i.at as "intentAt", r.result, r.http_status as "httpStatus", r.detail
		from buyer_papers i
		left join buyer_papers r on r.tenant_id = i.tenant_id and r.doc_id = i.doc_id and r.n = i.n and r.kind = 'result'
		where i.tenant_id = ${tenantId} and i.doc_id = ${docId} and i.kind = 'intent' order by i.n desc limit 100`;
	return { delivery, attempts: attempts.reverse() };
}

export async function findAcknowledgement(
	sql: Sql | Tx,
	tenantId: string,
	docId: string,
): Promise<AcknowledgementRow | undefined> {
	const [row] = await sql<AcknowledgementRow[]>`
		select n, state = 0 as "isReceived", motive, acknowledgement as bytes, sha256, signer, at as "receivedAt"
		from buyer_papers where tenant_id = ${tenantId} and doc_id = ${docId} and acknowledgement is not null order by n desc limit 1`;
	return row;
}

export type KnownListing = {
	readonly listing: Exclude<Listing, { readonly kind: "unavailable" }>;
	/** Seconds since the answer, by the database's clock. */
	readonly ageSeconds: number;
};

type Name = { readonly segment: Segment; readonly rnc: string };

type Row = Name & {
	readonly name: string | null;
	readonly receptionUrl: string | null;
	readonly approvalUrl: string | null;
	readonly authenticationUrl: string | null;
	readonly ageSeconds: number;
};

/** The last answers on these taxpayers, in their order. */
export async function findListings(sql: Sql, names: readonly Name[]): Promise<(KnownListing | undefined)[]> {
	const rows = await sql<Row[]>`
		select d.segment, d.rnc, d.name, d.reception_url as "receptionUrl", d.approval_url as "approvalUrl",
			d.authentication_url as "authenticationUrl", extract(epoch from now() - d.asked_at)::float8 as "ageSeconds"
		from receiver_directory d
		where (d.segment, d.rnc) in (
			select * from unnest(${names.map(({ segment }) => segment)}::text[], ${names.map(({ rnc }) => rnc)}::text[])
		)`;
	const byName = new Map(rows.map((row) => [`${row.segment} ${row.rnc}`, toKnown(row)]));
	return names.map(({ segment, rnc }) => byName.get(`${segment} ${rnc}`));
}

function toKnown({ rnc, name, receptionUrl, approvalUrl, authenticationUrl, ageSeconds }: Row): KnownListing {
	if (receptionUrl === null || approvalUrl === null) return { listing: { kind: "not-listed" }, ageSeconds };
	const receiver: Receiver = {
		...{ rnc, name: name ?? rnc, receptionUrl, approvalUrl },
		...(authenticationUrl === null ? {} : { authenticationUrl }),
	};
	return { listing: { kind: "listed", receiver }, ageSeconds };
}

export async function saveListing(sql: Sql, { segment, rnc }: Name, { listing }: Pick<KnownListing, "listing">) {
	const { name, receptionUrl, approvalUrl, authenticationUrl }: Partial<Receiver> =
		listing.kind === "listed" ? listing.receiver : {};
	await sql`
		insert into receiver_directory as d (segment, rnc, name, reception_url, approval_url, authentication_url)
		values (${segment}, ${rnc}, ${name ?? null}, ${receptionUrl ?? null}, ${approvalUrl ?? null}, ${authenticationUrl ?? null})
		on conflict (segment, rnc) do update set
			name = excluded.name, reception_url = excluded.reception_url, approval_url = excluded.approval_url,
			authentication_url = excluded.authentication_url, asked_at = now(),
			changed_at = case
				when (d.reception_url, d.approval_url, d.authentication_url)
					is distinct from (excluded.reception_url, excluded.approval_url, excluded.authentication_url)
				then now() else d.changed_at
			end`;
}
