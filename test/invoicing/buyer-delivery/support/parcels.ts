/** Accepted documents with the message that hands them to their buyer, carried out one attempt at a time, by hand. */

import type { Sql } from "../../../../src/platform/database";
import { append, type Handled, type Handler, type Message, OUTBOX_KINDS } from "../../../../src/platform/outbox";
import { settleMessages } from "../../../../src/platform/outbox/store";
import { holdMessage } from "../../../support/held-messages";
import { addInvoice, decide } from "../../../support/submission";

export type Parcel = {
	readonly docId: string;
	readonly tenantId: string;
	readonly encf: string;
	readonly issuerRnc: string;
};

export const BUYER = "990000002";

/** Its signed bytes are a line that the test's receiver can read. */
export async function addParcel(sql: Sql, tenantId: string, type = "31"): Promise<Parcel> {
	const [company] = await sql<{ rnc: string }[]>`select rnc from companies where tenant_id = ${tenantId}`;
	const issuerRnc = company?.rnc ?? "";
	const encf = `E${type}${String(Math.floor(Math.random() * 1e10)).padStart(10, "0")}`;
	const { docId } = await addInvoice(sql, tenantId, {
		...{ type, encf, request: JSON.stringify({ customer: { rnc: "990-000002", name: "CLIENTE" } }) },
		ecf: `<ECF>${issuerRnc}|${encf}|${BUYER}</ECF>`,
	});
	await sql`delete from outbox where subject = ${docId}`;
	await decide(sql, [{ tenantId, docId }]);
	await sql.begin((tx) => append(tx, { kind: OUTBOX_KINDS.deliverToBuyer, tenantId, subject: docId }));
	return { docId, tenantId, encf, issuerRnc };
}

/** Takes the document's message, due or not, for a new lane. */
export async function claim(sql: Sql, { docId }: Pick<Parcel, "docId">, ageSeconds = 0): Promise<Message> {
	await sql`
		update outbox set created_at = created_at - make_interval(secs => ${ageSeconds})
		where subject = ${docId} and kind = ${OUTBOX_KINDS.deliverToBuyer}`;
	return holdMessage(sql, docId, OUTBOX_KINDS.deliverToBuyer);
}

/** One attempt: claimed, carried out, settled. */
export async function carryOut(sql: Sql, handler: Handler, parcel: Parcel, ageSeconds = 0): Promise<Handled> {
	const message = await claim(sql, parcel, ageSeconds);
	const handled = await handler(message);
	if (handled.kind !== "settled") await settleMessages(sql, [{ message, outcome: handled }]);
	return handled;
}
