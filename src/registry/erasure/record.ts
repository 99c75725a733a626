/** The request for an erasure. */

import { type Static, Type } from "@sinclair/typebox";
import { checkBody } from "../../platform/operation";
import { type Fault, msg, Problem } from "../../platform/problem";
import type { TaxpayerDocument } from "../../platform/values";
import { Timestamp } from "../entry";
import type { TombstoneRow } from "./tombstones-store";

const LEGAL_BASES = ["arco-cancellation", "arco-opposition", "court-order", "data-error"] as const;

export const PurgeRequest = Type.Object(
	{
		legal_basis: Type.Union(
			LEGAL_BASES.map((basis) => Type.Literal(basis)),
			{ description: "Legal basis of the erasure." },
		),
		request_reference: Type.String({ minLength: 1, maxLength: 100, description: "Your reference for the request." }),
		requested_by: Type.String({ minLength: 1, maxLength: 200, description: "The person responsible for the request." }),
		reason: Type.String({ minLength: 1, maxLength: 1_000, description: "The reason, in words." }),
	},
	{
		$id: "PurgeRequest",
		additionalProperties: false,
		description: "Stored with the record of the erasure, so no member may contain the erased number.",
	},
);
export type PurgeRequest = Static<typeof PurgeRequest>;

/** Checks a parsed body. Throws: validation-error, also for each member that would store the erased number. */
export function checkPurgeRequest(value: unknown, document: TaxpayerDocument): PurgeRequest {
	const request = checkBody<PurgeRequest>(value, PurgeRequest);
	const members = ["request_reference", "requested_by", "reason"] as const;
	const faults: Fault[] = members
		.filter((member) => digitsIn(request[member]).includes(document.digits))
		.map((member) => ({
			pointer: `/${member}`,
			code: "contains-document",
			detail: msg`This member is stored, so it must not contain the erased number.`,
		}));
	if (faults.length > 0) throw new Problem("validation-error", { faults });
	return request;
}

/** Finds digits whatever separates them and in whatever form they are written. */
function digitsIn(text: string): string {
	return text.normalize("NFKC").replace(/\D/g, "");
}

export const examplePurgeRequest: PurgeRequest = {
	legal_basis: "arco-cancellation",
	request_reference: "ARCO-2026-00017",
	requested_by: "dpo@example.do",
	reason: "Data subject request, Law 172-13",
};

/** What the API shows of an erasure: the answer to its request, and its record. */

/** Maximum time a shared cache may keep a look-up. Source: the specification, registry single-lookup caching. */
export const LOOKUP_MAX_AGE_SECONDS = 300;

/**
 * Gap: the specification does not limit how long a proposal stands. A week covers an absence of the second person. It also keeps a
 * forgotten proposal from making a much later reversal the act of one person.
 */
const REVERSAL_EXPIRES_AFTER_MS = 7 * 24 * 3600 * 1000;

const SNAPSHOT_STATES = ["next-run", "cleared"] as const;
type SnapshotState = (typeof SNAPSHOT_STATES)[number];

const record = {
	purge_id: Type.String({ description: "Identifier of the erasure." }),
	purged_at: Timestamp("When it was first erased."),
	legal_basis: Type.String({ description: "As requested." }),
	request_reference: Type.String({ description: "As requested." }),
	effects: Type.Object(
		{
			memory_index: Type.Boolean(),
			database: Type.Boolean(),
			history: Type.Boolean(),
			change_feed: Type.Boolean(),
			snapshots: Type.Union(
				SNAPSHOT_STATES.map((state) => Type.Literal(state)),
				{
					description:
						"`next-run`: the files that held the entry are replaced after the answer, by the next ingest at the latest. Nothing erased is served from them meanwhile. `cleared`: done on the machine that answers.",
				},
			),
		},
		{ description: "Where the entry was removed from." },
	),
	tombstone: Type.Boolean({
		description: "True while every ingest omits the number; false once the erasure is reversed.",
	}),
	cached_copies_expire_at: Timestamp(
		"Until then a shared cache, or a process that is cut off from the database, may still serve an answer from before the erasure.",
	),
};
const links = Type.Object({ self: Type.String({ description: "Path of the erasure's record." }) });

export const PurgeAnswer = Type.Object(
	{
		...record,
		status: Type.Literal("purged"),
		document: Type.String({ description: "The number, masked except for its last four digits." }),
		receipt: Type.String({
			description:
				"Signed proof of the erasure as a compact JWS. Its key is in `/.well-known/registry-keys.json` and `/.well-known/jwks.json`.",
		}),
		_links: links,
	},
	{ $id: "PurgeAnswer" },
);
export type PurgeAnswer = Static<typeof PurgeAnswer>;

const RECORD_STATUSES = ["purged", "reversal-proposed", "reversed"] as const;

export const PurgeRecord = Type.Object(
	{
		...record,
		status: Type.Union(
			RECORD_STATUSES.map((status) => Type.Literal(status)),
			{
				description:
					"`reversal-proposed`: another key must confirm it. `reversed`: later ingests include the entry again.",
			},
		),
		reversal: Type.Optional(
			Type.Object(
				{
					proposed_at: Timestamp("When the first key proposed it."),
					expires_at: Type.Optional(Timestamp("Deadline for another key to confirm it; absent once confirmed.")),
					reversed_at: Type.Optional(Timestamp("When another key confirmed it.")),
				},
				{ description: "Present while a reversal is proposed, and permanently after it." },
			),
		),
		retained: Type.Object({
			issued_invoices: Type.String({ description: "Why invoices with the number are kept." }),
		}),
		_links: links,
	},
	{ $id: "PurgeRecord" },
);
export type PurgeRecord = Static<typeof PurgeRecord>;

/** `graceSeconds`: how long a process may serve its data while it cannot learn of erasures. */
export function describeErasure(tombstone: TombstoneRow, snapshots: SnapshotState, graceSeconds: number) {
	const keptMs = (graceSeconds + LOOKUP_MAX_AGE_SECONDS) * 1000;
	return {
		purged_at: tombstone.purgedAt.toISOString(),
		legal_basis: tombstone.legalBasis,
		request_reference: tombstone.requestReference,
		effects: { memory_index: true, database: true, history: true, change_feed: true, snapshots },
		tombstone: tombstone.reversedAt === null,
		cached_copies_expire_at: new Date(tombstone.purgedAt.getTime() + keptMs).toISOString(),
	};
}

export function linksOf(purgeId: string) {
	return { self: `/v1/authority/purges/${purgeId}` };
}

/** The record at a time. `isCleared`: whether this machine's files hold no erased entry. */
export function toPurgeRecord(
	tombstone: TombstoneRow,
	isCleared: boolean,
	graceSeconds: number,
	now: Date,
): PurgeRecord {
	const reversal = describeReversal(tombstone, now);
	return {
		purge_id: tombstone.purgeId,
		status: tombstone.reversedAt ? "reversed" : reversal ? "reversal-proposed" : "purged",
		...describeErasure(tombstone, isCleared ? "cleared" : "next-run", graceSeconds),
		...(reversal ? { reversal } : {}),
		retained: {
			issued_invoices:
				"Invoices already issued to or by the number are not touched: tax law requires that they are kept for 10 years.",
		},
		_links: linksOf(tombstone.purgeId),
	};
}

/** Whether a reversal is proposed and can still be confirmed. */
export function isProposalOpen(tombstone: TombstoneRow, now: Date): boolean {
	const { proposedAt } = tombstone;
	return proposedAt !== null && now.getTime() < proposedAt.getTime() + REVERSAL_EXPIRES_AFTER_MS;
}

function describeReversal(tombstone: TombstoneRow, now: Date): PurgeRecord["reversal"] {
	const { proposedAt, reversedAt } = tombstone;
	if (!proposedAt) return undefined;
	const proposed_at = proposedAt.toISOString();
	if (reversedAt) return { proposed_at, reversed_at: reversedAt.toISOString() };
	if (!isProposalOpen(tombstone, now)) return undefined;
	return { proposed_at, expires_at: new Date(proposedAt.getTime() + REVERSAL_EXPIRES_AFTER_MS).toISOString() };
}

const exampleTombstone: TombstoneRow = {
	purgeId: "0192f160-7c1d-7e2f-9a3b-4c5d6e7f8091",
	purgedAt: new Date("2026-11-20T15:10:00.000Z"),
	legalBasis: examplePurgeRequest.legal_basis,
	requestReference: examplePurgeRequest.request_reference,
	proposedAt: null,
	proposedBy: null,
	reversedAt: null,
};
const exampleNow = new Date("2026-11-27T09:00:00.000Z");
const exampleProposal = { proposedAt: new Date("2026-11-26T09:00:00.000Z"), proposedBy: "an API key's id" };

export const examplePurgeRecord = toPurgeRecord(exampleTombstone, true, 900, exampleNow);
export const exampleProposedRecord = toPurgeRecord({ ...exampleTombstone, ...exampleProposal }, true, 900, exampleNow);
export const exampleReversedRecord = toPurgeRecord(
	{ ...exampleTombstone, ...exampleProposal, reversedAt: exampleNow },
	true,
	900,
	exampleNow,
);

export const examplePurgeAnswer: PurgeAnswer = {
	purge_id: exampleTombstone.purgeId,
	document: "*******0681",
	status: "purged",
	...describeErasure(exampleTombstone, "next-run", 900),
	receipt: "eyJhbGciOiJFZERTQSJ9.eyJwdXJnZV9pZCI6IjAxOTJmMTYwIn0.c2lnbmF0dXJl",
	_links: linksOf(exampleTombstone.purgeId),
};
