/**
 * The operations on prepared invoices: one caller checks and stores a body, and another one, who may issue, approves exactly that body.
 *
 * The idempotency key that is stored with the body decides: approving issues under it, and rejecting stores an answer under it, in the
 * transaction that notes the rejection. So of all approvals and rejections, in all processes, one takes effect.
 */
import { type Static, Type } from "@sinclair/typebox";
import { InvoiceRequest } from "../../ecf/mapping";
import { enqueueEvent } from "../../events/webhooks";
import { actorOf, recordAudit } from "../../identity/audit-log";
import { retryOnFailure, type Sql, type Tx } from "../../platform/database";
import {
	answerOnce,
	findKey,
	hashBytes,
	hashPayload,
	idempotencyKeyParameter,
	saveAnswer,
	type Written,
} from "../../platform/idempotency";
import {
	type Call,
	cutPage,
	headerParameter,
	idFrom,
	json,
	jsonBody,
	NEEDS_BOTH,
	type Operation,
	oneOf,
	PRIVATE_NO_STORE,
	pageParameters,
	pageSchema,
	pathParameter,
	queryParameter,
	readJson,
	readPageQuery,
	readQuery,
	tenantOf,
} from "../../platform/operation";
import { type Message, msg, Problem } from "../../platform/problem";
import { type Clock, newId } from "../../platform/values";
import {
	Acknowledgement,
	DryRun,
	type IssueDeps,
	issueBytes,
	issuePlace,
	postInvoice,
	rehearseBytes,
} from "../invoices";
import {
	EXAMPLE_BODY,
	PreparedItem,
	PreparedRecord,
	type PreparedRow,
	type PreparedState,
	STATES,
	summarise,
	toPreparedItem,
	toPreparedRecord,
	toValidation,
	type WholePrepared,
} from "./prepared";
import {
	countWaiting,
	findPrepared,
	findUnsettled,
	insertPrepared,
	listPrepared,
	noteApproval,
	noteIssued,
	noteRejected,
} from "./store";

export type PreparedDeps = {
	readonly sql: Sql;
	readonly clock: Clock;
	/** As for issuing at once: its slots and its queue are shared. */
	readonly issuing: IssueDeps;
	/** Notifies dispatchers of new messages. */
	readonly wake: () => void;
};

const TAG = "Prepared invoices";
const WAITING_MAX = 200;
const BODY_BYTES_MAX = 256 * 1024;

const idParameter = pathParameter("id", "The prepared invoice's id.", "0192f1d0-7a00-7b11-9c22-334455667788");

const ApproveRequest = Type.Object(
	{
		sha256: Type.String({
			pattern: "^[0-9a-f]{64}$",
			faultDetail: msg`Send the 64 hexadecimal digits of \`sha256\`.`,
			description: "`sha256` of the prepared invoice that was looked at.",
		}),
	},
	{ additionalProperties: false },
);
const RejectRequest = Type.Object(
	{ reason: Type.Optional(Type.String({ minLength: 1, maxLength: 200, description: "Why, for its author." })) },
	{ additionalProperties: false },
);

const ISSUING_PROBLEMS = [
	...(["malformed-json", "unsupported-ecf-type", "validation-error", "mathematical-discrepancy"] as const),
	...(["tenant-config-missing", "company-rnc-mismatch", "client-request-id-conflict", "encf-already-used"] as const),
	...(["sequence-exhausted", "known-rejection", "clock-skew", "durability-lost", "authority-unavailable"] as const),
];

export function preparedOperations(deps: PreparedDeps): Operation[] {
	const common = { tag: TAG, credentials: NEEDS_BOTH } as const;
	return [
		{
			...{ id: "prepareInvoice", sdk: "prepared.create", method: "POST", path: "/v1/prepared-invoices", ...common },
			summary: "Prepare an invoice for approval",
			description:
				"Checks the body as a dry run does, and stores it for 24 hours. Nothing is issued and no number is used. A caller with " +
				"`invoices:write` issues it with `…:approve`. At most 200 wait per company. `invoice.prepared` is sent to endpoints that name it.",
			scope: "invoices:prepare",
			...{ limit: "issue", chargesLate: true, refuseAtOnce: deps.issuing.admission.refusal },
			parameters: [
				idempotencyKeyParameter(),
				queryParameter(
					"dry_run",
					"`true`: report what would happen, and store nothing.",
					Type.String({ pattern: "^(true|false)$", faultDetail: msg`Send true or false.` }),
				),
				headerParameter("Prefer", "`handling=strict` or `handling=lenient`, as when issuing."),
			],
			body: { ...jsonBody(InvoiceRequest, EXAMPLE_BODY), limitBytes: BODY_BYTES_MAX },
			answers: {
				201: {
					description: "Stored, and waiting for approval.",
					schema: PreparedRecord,
					headers: { Location: "The prepared invoice." },
				},
				200: {
					description: "The first answer again, for a repeated idempotency key. Or the report of a dry run.",
					schema: Type.Union([PreparedRecord, DryRun]),
				},
			},
			problems: [...ISSUING_PROBLEMS, "prepared-invoice-limit", "idempotency-key-reused", "idempotency-in-progress"],
			handle: (call) => (readQuery(call).dry_run === "true" ? postInvoice(deps.issuing, call) : prepare(deps, call)),
		},
		{
			...{ id: "listPreparedInvoices", sdk: "prepared.list", method: "GET", path: "/v1/prepared-invoices", ...common },
			summary: "List prepared invoices, newest first",
			description: "They are kept for seven days.",
			scope: "invoices:read",
			parameters: [queryParameter("status", `\`${STATES.join("`, `")}\`.`, oneOf(...STATES)), ...pageParameters()],
			answers: { 200: { description: "A page of prepared invoices.", schema: pageSchema(PreparedItem) } },
			problems: ["validation-error"],
			handle: (call) => list(deps, call),
		},
		{
			...{
				id: "getPreparedInvoice",
				sdk: "prepared.get",
				method: "GET",
				path: "/v1/prepared-invoices/{id}",
				...common,
			},
			summary: "Read a prepared invoice",
			description: "With its whole body, for the person who decides.",
			scope: "invoices:read",
			parameters: [idParameter],
			answers: { 200: { description: "The prepared invoice.", schema: PreparedRecord } },
			problems: ["not-found"],
			handle: async (call) => json(200, toPreparedRecord(await findOwn(deps, call)), PRIVATE_NO_STORE),
		},
		{
			...{ id: "approvePreparedInvoice", sdk: "prepared.approve", method: "POST", ...common },
			path: "/v1/prepared-invoices/{id}:approve",
			summary: "Approve a prepared invoice",
			description:
				"Issues the stored body, as `POST /v1/invoices` would, if `sha256` is that of the body. It makes one document however often it " +
				"is called: a repeat gets the first answer. A refusal leaves the prepared invoice waiting.",
			scope: "invoices:write",
			...{ limit: "issue", chargesLate: true },
			parameters: [
				idParameter,
				headerParameter("Prefer", "`wait=1` to `wait=25`, `handling=strict` and `handling=lenient`, as when issuing."),
			],
			body: jsonBody(ApproveRequest, { sha256: "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08" }),
			answers: {
				202: {
					description: "Accepted, signed and queued.",
					schema: Acknowledgement,
					headers: {
						Location: "The document.",
						"Retry-After": "When to poll.",
						"Idempotency-Replayed": "false",
						"Preference-Applied": "As when issuing.",
					},
				},
				200: {
					description: "It was approved before: the first answer again.",
					schema: Acknowledgement,
					headers: { "Idempotency-Replayed": "true" },
				},
			},
			problems: [
				...(["not-found", "prepared-invoice-decided", "prepared-invoice-changed", "idempotency-in-progress"] as const),
				...([...ISSUING_PROBLEMS, "authority-rejected", "sequence-reconciling"] as const),
			],
			handle: (call) => approve(deps, call),
		},
		{
			...{ id: "rejectPreparedInvoice", sdk: "prepared.reject", method: "POST", ...common },
			path: "/v1/prepared-invoices/{id}:reject",
			summary: "Reject a prepared invoice",
			description: "It can no longer be issued. A repeat gets the same record.",
			scope: "invoices:prepare",
			parameters: [idParameter],
			body: { ...jsonBody(RejectRequest, { reason: "Precio equivocado" }), required: false },
			answers: { 200: { description: "The prepared invoice.", schema: PreparedRecord } },
			problems: ["malformed-json", "validation-error", "not-found", "prepared-invoice-decided"],
			handle: (call) => reject(deps, call),
		},
	];
}

async function prepare({ sql, clock, issuing, wake }: PreparedDeps, call: Call): Promise<Response> {
	const tenantId = tenantOf(call);
	const check = async (value: unknown) => {
		const body = JSON.stringify(value);
		return { body, ...(await rehearseBytes(issuing, call, Buffer.from(body))) };
	};
	type Checked = Awaited<ReturnType<typeof check>>;
	const write = async (tx: Tx, { body, invoice, report }: Checked): Promise<Written> => {
		if ((await countWaiting(tx, tenantId)) >= WAITING_MAX) {
			const detail = msg`${WAITING_MAX} prepared invoices of the company are waiting.`;
			throw new Problem("prepared-invoice-limit", { detail, extensions: { maximum: WAITING_MAX } });
		}
		const summary = summarise(invoice, report);
		const sha256 = hashBytes(Buffer.from(body)).toString("hex");
		const row = { id: newId(), tenantId, body, sha256, summary, validation: toValidation(report) };
		const stored = await insertPrepared(tx, row);
		const now = clock.now();
		const entry = { actor: actorOf(call), at: now, action: "prepared-invoice.create", subject: stored.id, tenantId };
		await recordAudit(tx, { ...entry, details: { sha256 } });
		const { type, customer, currency, totals } = summary;
		await enqueueEvent(tx, {
			...{ event: "invoice.prepared", tenantId, docId: stored.id, trackId: stored.id, occurredAt: now },
			prepared: {
				...{ sha256, type, customerRnc: customer?.rnc ?? null, currency, total: totals.grand_total },
				expiresAt: stored.expiresAt.toISOString(),
			},
		});
		const record = toPreparedRecord({ ...stored, body });
		return { status: 201, body: record, headers: { ...PRIVATE_NO_STORE, location: record._links.self } };
	};
	const answer = await answerOnce<Checked>(sql, call, write, { check });
	wake();
	return answer;
}

async function list({ sql }: PreparedDeps, call: Call): Promise<Response> {
	const { limit, query } = readPageQuery(call);
	const { status, after } = query;
	const rows = await retryOnFailure(() => listPrepared(sql, tenantOf(call), { status, after }, limit));
	const { page, place } = cutPage(rows, limit, ({ id }) => id);
	return json(200, { items: page.map(toPreparedItem), ...place }, PRIVATE_NO_STORE);
}

async function approve(deps: PreparedDeps, call: Call): Promise<Response> {
	const { sql, clock, issuing } = deps;
	const { sha256 } = await readJson<Static<typeof ApproveRequest>>(call);
	const row = await findOwn(deps, call);
	// Once the key is forgotten, issuing again would make a second document.
	if (row.state === "rejected" || row.isOver) throw decided(row);
	const bytes = Buffer.from(row.body);
	if (row.sha256 !== sha256 || hashBytes(bytes).toString("hex") !== sha256)
		throw new Problem("prepared-invoice-changed");
	if (row.state === "waiting") {
		await sql.begin(async (tx) => {
			await noteApproval(tx, row);
			const entry = { actor: actorOf(call), at: clock.now(), action: "prepared-invoice.approve", subject: row.id };
			await recordAudit(tx, { ...entry, tenantId: row.tenantId, details: { sha256 } });
		});
	}
	try {
		const answer = await issueBytes(issuing, call, bytes, row.idempotencyKey);
		// What is stored under the key is the rejection that came first.
		if ((await settle(sql, row)) === undefined) throw decided({ state: "rejected", docId: null });
		return answer;
	} catch (error) {
		// A refusal too may come after the document was stored, as after a wait for the verdict.
		if (error instanceof Problem) await settle(sql, row);
		throw error;
	}
}

/** Notes the document that was issued under the stored key, and returns its id. */
async function settle(
	sql: Sql,
	row: Pick<PreparedRow, "tenantId" | "id" | "idempotencyKey">,
): Promise<string | undefined> {
	const key = await retryOnFailure(() => findKey(sql, issuePlace(row.tenantId, row.idempotencyKey)));
	if (!key?.docId) return undefined;
	await noteIssued(sql, row, key.docId);
	return key.docId;
}

/** Housekeeping: settles approvals whose process died before it noted the document, and returns how many it found issued. */
export async function settlePrepared(sql: Sql): Promise<number> {
	let settled = 0;
	for (const row of await findUnsettled(sql)) settled += Number((await settle(sql, row)) !== undefined);
	return settled;
}

async function reject(deps: PreparedDeps, call: Call): Promise<Response> {
	const { sql, clock } = deps;
	const { reason = null } = await readJson<Static<typeof RejectRequest>>(call);
	const row = await findOwn(deps, call);
	if (row.state === "issued" || row.state === "expired") throw decided(row);
	if (row.state === "rejected") return json(200, toPreparedRecord(row), PRIVATE_NO_STORE);
	const isFirst = await sql.begin(async (tx) => {
		const stored = {
			...{ rawSha256: hashBytes(Buffer.from(row.body)), payloadSha256: hashPayload(JSON.parse(row.body)), docId: null },
			...{ answer: JSON.stringify({ rejected: row.id }), headers: {} },
		};
		if (!(await saveAnswer(tx, issuePlace(row.tenantId, row.idempotencyKey), stored))) return false;
		await noteRejected(tx, row, reason);
		const entry = { actor: actorOf(call), at: clock.now(), action: "prepared-invoice.reject", subject: row.id };
		await recordAudit(tx, { ...entry, tenantId: row.tenantId, details: {} });
		return true;
	});
	if (!isFirst) await settle(sql, row);
	const now = await findOwn(deps, call);
	if (now.state !== "rejected") throw decided(now);
	return json(200, toPreparedRecord(now), PRIVATE_NO_STORE);
}

/** Throws: not-found, equally for another tenant's id, an unknown one and an invalid one. */
async function findOwn({ sql }: Pick<PreparedDeps, "sql">, call: Call): Promise<WholePrepared> {
	const id = idFrom(call);
	const row = await retryOnFailure(() => findPrepared(sql, tenantOf(call), id));
	if (!row) throw new Problem("not-found");
	return row;
}

const DECIDED: Readonly<Record<PreparedState, Message>> = {
	waiting: msg`It is waiting for a decision.`,
	issued: msg`It has been issued.`,
	rejected: msg`It has been rejected.`,
	expired: msg`It has expired.`,
};

function decided({ state, docId }: Pick<PreparedRow, "state" | "docId">): Problem {
	const extensions = { preparedStatus: state, ...(docId === null ? {} : { docId }) };
	return new Problem("prepared-invoice-decided", { detail: DECIDED[state], extensions });
}
