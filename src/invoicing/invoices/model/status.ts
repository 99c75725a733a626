/** The status record of a document, and its history. */
import { type Static, type TSchema, Type } from "@sinclair/typebox";
import type { AuthorityMessage } from "../../../authority/client";
import { type Advice, AdviceSchema, correctionOf, type Fix, FixSchema } from "../../../authority/codes";
import { contingencyLegendsFor } from "../../../ecf/printing";
import type { Plan } from "../../../platform/operation";
import { DeliveryView, toDeliveryView } from "./delivery-record";
import type { HistoryRow } from "./file-store";
import { AWAITING_CERTIFICATE, type StatusRow } from "./invoice-row";

const Nullable = <T extends TSchema>(schema: T) => Type.Union([schema, Type.Null()]);
const Remark = Type.Object({ code: Type.String(), text: Type.String() });

/** The authority's answer. Which members are present depends on the status. */
export const AuthorityView = Type.Object({
	approvedAt: Type.Optional(Type.String({ description: "Present on acceptance." })),
	trackId: Type.Optional(
		Type.String({ description: "The authority's own id; absent for documents that are sent as a summary." }),
	),
	code: Type.Optional(Type.String({ description: "The authority's code; explains a rejection." })),
	title: Type.Optional(Type.String()),
	warnings: Type.Optional(Type.Array(Remark)),
	messages: Type.Optional(Type.Array(Remark)),
	sequenceConsumed: Type.Optional(Type.Boolean()),
});

export const InvoiceStatus = Type.Object(
	{
		docId: Type.String(),
		trackId: Type.String(),
		status: Type.String({ description: "pending, accepted, rejected or failed." }),
		encf: Type.String(),
		client_request_id: Nullable(Type.String()),
		phase: Type.String({ description: "queued, held, sending, unconfirmed, tracking or decided." }),
		holdReason: Nullable(
			Type.String({
				description:
					"What a pending document waits for besides the authority. `awaiting-reference`: the document that this note modifies is undecided. `awaiting-certificate`: the company has no certificate in force.",
			}),
		),
		attempts: Type.Integer(),
		nextAttemptAt: Nullable(Type.String()),
		contingency: Type.Optional(Type.Object({ active: Type.Boolean(), since: Type.String(), legend: Type.String() })),
		authority: AuthorityView,
		reissue: Type.Optional(
			Type.Object({
				allowed: Type.Boolean(),
				encf: Type.String({
					description:
						"`same` if the number is free again; `new` if it was consumed, voided or used by another document.",
				}),
			}),
		),
		fix: Type.Optional(
			Type.Array(FixSchema, {
				description:
					"After a rejection: a JSON patch (RFC 6902) of the request, where only one change is right. Send the result with a number that is free.",
			}),
		),
		advice: Type.Optional(
			Type.Array(AdviceSchema, { description: "After a rejection: places of the request that need a decision." }),
		),
		failure: Type.Optional(
			Type.Object({
				code: Type.String({
					description:
						"`internal-failure`, `authority-timeout-72h` (`authority-timeout-24h` with `deferred`), `certificate-missing` (none in force for 72 hours), and for notes `reference-undecided` or `reference-rejected`. More codes may be added.",
				}),
				detail: Type.String(),
				failedAt: Type.String(),
				retryable: Type.Boolean(),
			}),
		),
		delivery: Type.Optional(
			Type.Object(DeliveryView.properties, {
				description: "The delivery to a buyer that receives electronically; absent otherwise.",
			}),
		),
		testSetId: Type.Optional(Type.String({ description: "The certification test set that the document belongs to." })),
		version: Type.Integer(),
		updatedAt: Type.String(),
		_links: Type.Object({
			self: Type.String(),
			delivery: Type.Optional(Type.String()),
			retry: Type.Optional(Type.String()),
		}),
	},
	{
		$id: "InvoiceStatus",
		examples: [
			{
				docId: "0192f110-7a00-7b11-9c22-334455667788",
				trackId: "0192f110-7a01-7c33-8d44-556677889900",
				status: "accepted",
				encf: "E310000000001",
				client_request_id: "POS7-2026-11-20-000123",
				phase: "decided",
				holdReason: null,
				attempts: 1,
				nextAttemptAt: null,
				authority: {
					approvedAt: "2026-11-20T14:20:00.902Z",
					trackId: "d2b6e27c-3908-46f3-afaa-2207b9501b4b",
					code: "1",
					sequenceConsumed: true,
					warnings: [],
				},
				delivery: { state: "delivered", at: "2026-11-20T14:20:01.410Z", motive: null },
				version: 4,
				updatedAt: "2026-11-20T14:20:00.905Z",
				_links: {
					self: "/v1/invoices/0192f110-7a00-7b11-9c22-334455667788",
					delivery: "/v1/invoices/0192f110-7a00-7b11-9c22-334455667788/delivery",
				},
			},
		],
	},
);
export type InvoiceStatus = Static<typeof InvoiceStatus>;

const LEGEND = contingencyLegendsFor("contingency").join(". ");

function holdReasonOf({ phase, awaitsCertificate = false }: StatusRow): string | null {
	if (phase === "held") return "awaiting-reference";
	return awaitsCertificate ? AWAITING_CERTIFICATE : null;
}

export function toStatus(row: StatusRow): InvoiceStatus {
	const self = `/v1/invoices/${row.docId}`;
	return {
		docId: row.docId,
		trackId: row.trackId,
		status: row.status,
		encf: row.encf,
		client_request_id: row.clientRequestId,
		phase: row.phase,
		holdReason: holdReasonOf(row),
		attempts: row.attempts,
		nextAttemptAt: nextAttemptOf(row)?.toISOString() ?? null,
		...(row.contingencySince
			? { contingency: { active: true, since: row.contingencySince.toISOString(), legend: LEGEND } }
			: {}),
		authority: toAuthorityView(row),
		...(row.status === "rejected" ? { reissue: { allowed: true, encf: isNumberFree(row) ? "same" : "new" } } : {}),
		...(row.status === "rejected" ? toCorrection(row, row.authority) : {}),
		...toFailureView(row),
		...(row.delivery ? { delivery: toDeliveryView(row.delivery) } : {}),
		...(row.testSetId === null ? {} : { testSetId: row.testSetId }),
		version: row.version,
		updatedAt: row.updatedAt.toISOString(),
		_links: {
			self,
			...(row.delivery ? { delivery: `${self}/delivery` } : {}),
			...(isRetryable(row) ? { retry: `${self}/retry` } : {}),
		},
	};
}

/** During an outage a postponed document is not rewritten. Its message then has the time. */
function nextAttemptOf({ nextAttemptAt, isPutOff = false, putOffTo }: StatusRow): Date | null {
	return isPutOff ? (putOffTo ?? null) : nextAttemptAt;
}

function isNumberFree({ authority, isNumberTaken = false }: StatusRow): boolean {
	return authority?.sequenceConsumed === false && !isNumberTaken;
}

/**
 * The ETag changes with everything that the status record shows: the versions of document and delivery, the time of the next attempt, and whether a
 * number that was given back is taken.
 */
export function toStatusEtag(row: StatusRow): string {
	const delivery = row.delivery ? `-d${row.delivery.version}` : "";
	const postponeNextAttempt = row.isPutOff ? `-a${nextAttemptOf(row)?.getTime() ?? 0}` : "";
	const taken = row.isNumberTaken ? "-taken" : "";
	return `"v${row.version}${delivery}${postponeNextAttempt}${taken}"`;
}

function isRetryable({ status, failure, testSetId }: StatusRow): boolean {
	return status === "failed" && testSetId === null && failure?.retryable !== false;
}

/** A document of a test set is not retried alone. Its set has another run. */
function toFailureView({ failure, testSetId }: StatusRow): Pick<InvoiceStatus, "failure"> {
	if (!failure) return {};
	const view = failure as NonNullable<InvoiceStatus["failure"]>;
	return { failure: testSetId === null ? view : { ...view, retryable: false } };
}

/** What a rejected request needs, as members of the status record; each only if there is any. */
export function toCorrection(
	{ warnings }: Pick<StatusRow, "warnings">,
	authority: Readonly<Record<string, unknown>> | null,
): Partial<{ readonly fix: Fix[]; readonly advice: Advice[] }> {
	const { code, messages } = authority ?? {};
	if (typeof code !== "string") return {};
	const { fix, advice } = correctionOf(code, Array.isArray(messages) ? (messages as AuthorityMessage[]) : [], warnings);
	return { ...(fix.length > 0 ? { fix: [...fix] } : {}), ...(advice.length > 0 ? { advice: [...advice] } : {}) };
}

export function toAuthorityView(row: StatusRow): Static<typeof AuthorityView> {
	return (row.authority ?? (row.authorityTrackId ? { trackId: row.authorityTrackId } : {})) as Static<
		typeof AuthorityView
	>;
}

/** Seconds until the next poll: 30 on the free plans, else 5 in the first minute, then 30. */
export function pollAfterSeconds(plan: Plan, row: Pick<StatusRow, "receivedAt">, now: Date): number {
	if (plan === "free" || plan === "demo") return 30;
	return now.getTime() - row.receivedAt.getTime() < 60_000 ? 5 : 30;
}

export const HistoryEvent = Type.Object({
	version: Type.Integer({ description: "The document's version from this entry on. Not every version has an entry." }),
	at: Type.String({ description: "RFC 3339, UTC." }),
	status: Type.String({ description: "pending, accepted, rejected or failed." }),
	phase: Type.String({ description: "queued, held, sending, unconfirmed, tracking or decided." }),
	summary: Type.String({ description: "What happened." }),
	event: Type.Union([Type.String(), Type.Null()], { description: "The webhook event of this entry." }),
});
export type HistoryEvent = Static<typeof HistoryEvent>;

const ofPhase = {
	queued: "Waits to be sent to the authority.",
	held: "Waits for the document that it refers to.",
	sending: "Is being sent to the authority.",
	unconfirmed: "Was sent; the authority is asked whether it has arrived.",
	tracking: "The authority has received it and is at work.",
} as const;

const ofStatus = {
	pending: "Pending.",
	accepted: "The authority has accepted it.",
	rejected: "The authority has rejected it.",
	failed: "It could not be submitted; its failure says whether it can be retried.",
} as const;

export function toHistoryEvent({ version, at, status, phase, detail }: HistoryRow): HistoryEvent {
	const isDecided = phase === "decided";
	const isWaiting = detail === AWAITING_CERTIFICATE;
	const ofState = isDecided
		? ofStatus[status]
		: isWaiting
			? "Waits for its company's next certificate."
			: ofPhase[phase];
	const summary = version === 1 ? "Signed and stored." : ofState;
	return { version, at: at.toISOString(), status, phase, summary, event: isDecided ? `invoice.${status}` : null };
}
