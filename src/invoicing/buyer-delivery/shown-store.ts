/** SQL on what a tenant is shown of a delivery. */
import type { Sql, Tx } from "../../platform/database";
import type { BuyerDeliveryState } from "./parcel";
import type { AttemptEnd, AttemptResult, NewAcknowledgement } from "./store";

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

export type AcknowledgementRow = Omit<NewAcknowledgement, "docId" | "tenantId"> & { readonly receivedAt: Date };

/** A tenant's own; with the last hundred attempts, oldest first. */
export async function findDelivery(
	sql: Sql | Tx,
	tenantId: string,
	docId: string,
): Promise<{ delivery: BuyerDeliveryRow; attempts: AttemptRow[] } | undefined> {
	const [delivery] = await sql<BuyerDeliveryRow[]>`
		select doc_id as "docId", buyer_rnc as "buyerRnc", state, motive, detail, version, created_at as "createdAt",
			updated_at as "updatedAt"
		from buyer_deliveries where doc_id = ${docId} and tenant_id = ${tenantId}`;
	if (!delivery) return undefined;
	const attempts = await sql<AttemptRow[]>`
		select n, host, intent_at as "intentAt", result, http_status as "httpStatus", detail
		from buyer_delivery_attempts where doc_id = ${docId} order by n desc limit 100`;
	return { delivery, attempts: attempts.reverse() };
}

/** The last one that came. */
export async function findAcknowledgement(
	sql: Sql | Tx,
	tenantId: string,
	docId: string,
): Promise<AcknowledgementRow | undefined> {
	const [row] = await sql<AcknowledgementRow[]>`
		select n, state = 0 as "isReceived", motive, document as bytes, sha256, signer, received_at as "receivedAt"
		from buyer_acknowledgements where doc_id = ${docId} and tenant_id = ${tenantId} order by n desc limit 1`;
	return row;
}
