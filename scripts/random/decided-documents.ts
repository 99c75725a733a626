/**
 * Random documents that the service's own statements store and decide, without signature and authority, to check sums with. Each request
 * matches what is summed, so that an independent sum over requests must agree.
 */
import type { Segment } from "../../src/authority/client";
import { packDocuments } from "../../src/ecf/signing";
import type { NewInvoice } from "../../src/invoicing/invoices";
import { reopenInvoice } from "../../src/invoicing/invoices";
import { storeParts } from "../../src/invoicing/invoices/issue";
import { concludeSteps, findSubmissionStates, verdictEvents } from "../../src/invoicing/invoices/submit";
import type { Decision } from "../../src/invoicing/verdicts";
import type { Sql } from "../../src/platform/database";
import { dead, done } from "../../src/platform/outbox";
import { Decimal, newId, systemClock } from "../../src/platform/values";
import type { Chance } from "../../test/support/chance";

export type Fate = "accepted" | "rejected" | "failed" | "pending";
export type Drawn = { readonly row: NewInvoice; readonly fate: Fate };

const TYPES = ["31", "31", "31", "32", "32", "32", "33", "34", "34", "41", "44"];
const BRANCHES = [null, null, "Centro", "Santiago, Norte", '=HYPERLINK("https://x.example")', "Ñandú"];
const FATES: readonly Fate[] = ["accepted", "accepted", "accepted", "accepted", "rejected", "failed", "pending"];
const BUYERS = 40;
/** The service's batch size. */
const STEPS_AT_ONCE = 64;

/** A document of one of the tenants, issued on one of the days. `number` goes into its e-NCF. */
export function drawDocument(
	chance: Chance,
	tenantIds: readonly string[],
	days: readonly string[],
	number: number,
	/** The environment of the companies. */
	segment: Segment = "testecf",
): Drawn {
	const docId = newId();
	const type = chance.pick(TYPES);
	const encf = `E${type}${String(number).padStart(10, "0")}`;
	const subtotal = Decimal.of(`${chance.whole(0, chance.pick([1, 1_000, 9_999_999_999]))}.${two(chance)}`);
	const tax = Decimal.of(`${chance.whole(0, 1_000)}.${two(chance)}`);
	const [issueDate, branch] = [chance.pick(days), chance.pick(BRANCHES)];
	const customerRnc = type === "32" ? null : String(990_000_100 + chance.whole(1, BUYERS));
	const [net, taxes, total] = [subtotal.toFixed(2), tax.toFixed(2), subtotal.plus(tax).toFixed(2)];
	const request = {
		...{ type, encf, issue_date: issueDate, totals: { subtotal: net, tax: taxes, grand_total: total } },
		...(branch === null ? {} : { branch }),
		...(customerRnc === null ? {} : { customer: { rnc: customerRnc } }),
	};
	const row: NewInvoice = {
		...{ docId, tenantId: chance.pick(tenantIds), type, encf, clientRequestId: null },
		...{ request: JSON.stringify(request), acknowledgement: "{}", warnings: [], receivedAt: new Date() },
		print: { securityCode: "a1B2c3", signedAt: `${issueDate}T16:00:00.000Z`, qrUrl: toQrUrl(type, segment) },
		registry: { issuer: "ACTIVO", buyer: null, runId: null },
		environment: segment === "ecf" ? "p" : segment === "certecf" ? "c" : "t",
		...{ branch, modifies: null, hasSummary: false },
		sums: { subtotal: net, tax: taxes },
		facts: {
			...{ issueDate, customerRnc, customerName: null, currency: "DOP" },
			...{ subtotal: net, tax: taxes, grandTotal: total, total },
		},
		sha256: new Bun.SHA256().update(docId).digest("hex"),
		packed: packDocuments(JSON.stringify(request), { ecf: `<ECF>${docId}</ECF>` }),
	};
	return { row, fate: chance.pick(FATES) };
}

/** Small invoices have another look-up address; here only the environment matters. */
function toQrUrl(type: string, segment: Segment): string {
	return `https://authority.example/${segment}/ConsultaTimbre${type === "32" ? "FC" : ""}?RncEmisor=990000001`;
}

const two = (chance: Chance) => String(chance.whole(0, 99)).padStart(2, "0");

/** Stores documents as issuing does, with messages of their own instead of entries of the work log. */
export async function storeDocuments(sql: Sql, all: readonly Drawn[]): Promise<void> {
	const outcomes = await storeParts(
		sql,
		all.map(({ row }) => ({ row })),
	);
	const odd = outcomes.find((outcome) => outcome !== "stored");
	if (odd !== undefined) throw new Error(`a drawn document was not stored: ${odd}`);
	await giveMessages(
		sql,
		all.map(({ row }) => row.docId),
	);
}

/** Turns entries of the work log into messages, which are held by hand. */
export async function giveMessages(sql: Sql, docIds: readonly string[]): Promise<void> {
	await sql`
		with taken as (delete from work_log where doc_ids && ${[...docIds]}::uuid[] returning tenant_id, doc_ids)
		insert into outbox (id, kind, tenant_id, subject)
		select doc_id, 'invoice.submit', tenant_id, doc_id from taken, unnest(doc_ids) doc_id`;
}

/** Gives documents their verdicts as dispatchers do. Documents that stay pending are not touched. */
export async function decideDocuments(
	sql: Sql,
	all: readonly { readonly docId: string; readonly fate: Fate }[],
): Promise<void> {
	const decided = all.filter(({ fate }) => fate !== "pending");
	for (let first = 0; first < decided.length; first += STEPS_AT_ONCE) {
		await decideTogether(sql, decided.slice(first, first + STEPS_AT_ONCE));
	}
}

async function decideTogether(sql: Sql, all: readonly { readonly docId: string; readonly fate: Fate }[]) {
	const lane = newId();
	await sql`insert into lanes (lane, node, thread, lease_until) values (${lane}, 'drawn', ${lane}, now() + interval '1 minute')`;
	await sql`update shards set lane = ${lane}, term = term + 1`;
	const held = await sql<{ id: string; docId: string; tenantId: string; term: number }[]>`
		update outbox o set state = 'ready' from shards s
		where s.shard = o.shard and o.subject = any(${all.map(({ docId }) => docId)}::uuid[]) and o.kind = 'invoice.submit'
		returning o.id, o.subject as "docId", o.tenant_id as "tenantId", s.term`;
	const states = await findSubmissionStates(sql, held);
	const fates = new Map(all.map(({ docId, fate }) => [docId, fate]));
	const steps = held.flatMap(({ docId, term, ...message }, i) => {
		const state = states[i];
		if (!state) return [];
		const fate = fates.get(docId) ?? "accepted";
		const write = {
			message: {
				...{
					...message,
					kind: "invoice.submit",
					subject: docId,
					payload: {},
					failures: 0,
					ageSeconds: 0,
					isRepeat: false,
				},
				...{ hold: { lane, epoch: 1, term }, leaseLeftMs: () => 60_000 },
			},
			...{ docId, place: state.place },
			to: toDecision(fate === "pending" ? "accepted" : fate),
			outcome: fate === "failed" ? dead("drawn") : done,
		};
		return [{ write, invoice: state.invoice }];
	});
	await sql.begin((tx) => concludeSteps(tx, steps, { clock: systemClock, reactions: [verdictEvents] }));
	await sql`delete from lanes where lane = ${lane}`;
}

function toDecision(status: Decision["status"]): Decision {
	const failure = status === "failed" ? { code: "internal-failure", detail: "Drawn." } : null;
	const authority = status === "failed" ? null : { code: status === "accepted" ? "1" : "2" };
	return { status, authority, failure, releasesEncf: false, at: new Date(), detail: `drawn: ${status}` };
}

/** Reopens failed documents, as their owner may, so that they can be decided again. */
export async function reopenDocuments(sql: Sql, all: readonly Drawn[]): Promise<void> {
	for (const { row } of all.filter(({ fate }) => fate === "failed")) {
		await sql.begin((tx) => reopenInvoice(tx, row.tenantId, row.docId));
	}
}
