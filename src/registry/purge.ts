/**
 * Erasure of an entry under the data-protection law. The number itself is not kept: its tombstone is a keyed digest, and every
 * load and every answer asks the tombstones.
 *
 * The answer tells nothing about the registry: a number that was never there, one that was and one that had been erased
 * before are all answered alike, and all get a tombstone.
 */
import { type Static, Type } from "@sinclair/typebox";
import type { Sql } from "../database";
import { type Fault, Problem } from "../problem";
import { type Clock, maskDocument, newId, type TaxpayerDocument } from "../values";
import type { Current } from "./current";
import { putTombstone, type TombstoneRow } from "./store";
import { Timestamp } from "./timestamp";
import type { Tombstones } from "./tombstones";

export const LEGAL_BASES = ["arco-cancellation", "arco-opposition", "court-order", "data-error"] as const;

export const PurgeRequest = Type.Object(
	{
		legal_basis: Type.Union(
			LEGAL_BASES.map((basis) => Type.Literal(basis)),
			{ description: "On what ground the entry is erased." },
		),
		request_reference: Type.String({ minLength: 1, maxLength: 100, description: "Your reference of the request." }),
		requested_by: Type.String({ minLength: 1, maxLength: 200, description: "Who answers for the request." }),
		reason: Type.String({ minLength: 1, maxLength: 1_000, description: "Why, in words." }),
	},
	{
		$id: "PurgeRequest",
		additionalProperties: false,
		description: "Kept with the tombstone, so no member may hold the number that is erased.",
	},
);
export type PurgeRequest = Static<typeof PurgeRequest>;

const record = {
	purge_id: Type.String({ description: "Identifier of the erasure." }),
	status: Type.Literal("purged"),
	purged_at: Timestamp("When it was erased, the first time."),
	legal_basis: Type.String({ description: "As requested." }),
	request_reference: Type.String({ description: "As requested." }),
	effects: Type.Object(
		{
			memory_index: Type.Boolean(),
			database: Type.Boolean(),
			history: Type.Boolean(),
			change_feed: Type.Boolean(),
			snapshots: Type.String(),
		},
		{
			description:
				"Where the entry is gone from; `next-run` means with the next ingest at the latest, never served until then.",
		},
	),
	tombstone: Type.Boolean({ description: "True: every later ingest leaves the number out." }),
	cached_copies_expire_at: Timestamp(
		"Until then a shared cache may still show an answer that was given before the erasure.",
	),
};
const links = Type.Object({ self: Type.String({ description: "Path of the record of the erasure." }) });

export const PurgeAnswer = Type.Object(
	{
		...record,
		document: Type.String({ description: "The number, all but its last four digits hidden." }),
		receipt: Type.String({ description: "Signed proof of the erasure, a compact JWS." }),
		_links: links,
	},
	{ $id: "PurgeAnswer" },
);
export type PurgeAnswer = Static<typeof PurgeAnswer>;

export const PurgeRecord = Type.Object(
	{
		...record,
		retained: Type.Object({
			issued_invoices: Type.String({ description: "Why invoices that name the number are kept." }),
		}),
		_links: links,
	},
	{ $id: "PurgeRecord" },
);
export type PurgeRecord = Static<typeof PurgeRecord>;

/** Throws: validation-error for each member that would keep the number which the request erases. */
export function checkPurgeRequest(request: PurgeRequest, document: TaxpayerDocument): void {
	const members = ["request_reference", "requested_by", "reason"] as const;
	const faults: Fault[] = members
		.filter((member) => request[member].replace(/[- ]/g, "").includes(document.digits))
		.map((member) => ({
			pointer: `/${member}`,
			code: "contains-document",
			detail: "The member is kept, so it must not hold the number that is erased.",
		}));
	if (faults.length > 0) throw new Problem("validation-error", { faults });
}

/** Signs what a receipt says, as a compact JWS. */
export type SignReceipt = (claims: Readonly<Record<string, unknown>>) => Promise<string>;

export type PurgeDeps = {
	readonly sql: Sql;
	readonly clock: Clock;
	readonly tombstones: Tombstones;
	readonly current: Current;
	readonly signReceipt: SignReceipt;
	/** Has the snapshot files cleared of what was erased, behind the answer. */
	readonly clearSoon: () => void;
};

/**
 * Erases a document: at once in this process, within a second in the others.
 *
 * Gap: a repeated erasure is answered with the first one's record, whose ground and reference stay what they were.
 */
export async function purgeDocument(
	deps: PurgeDeps,
	document: TaxpayerDocument,
	request: PurgeRequest,
): Promise<PurgeAnswer> {
	const digest = deps.tombstones.digestOf(document.digits);
	const tombstone = await putTombstone(deps.sql, {
		digest,
		purgeId: newId(),
		purgedAt: deps.clock.now(),
		legalBasis: request.legal_basis,
		requestReference: request.request_reference,
		requestedBy: request.requested_by,
		reason: request.reason,
	});
	deps.tombstones.add(digest.toString("hex"));
	deps.clearSoon();
	const { purge_id, ...told } = describe(tombstone);
	const masked = maskDocument(document.digits);
	const { effects: _, ...claims } = told;
	const receipt = await deps.signReceipt({ purge_id, document: masked, ...claims });
	return { purge_id, document: masked, ...told, receipt, _links: linksOf(purge_id) };
}

export function toPurgeRecord(tombstone: TombstoneRow): PurgeRecord {
	return {
		...describe(tombstone),
		retained: {
			issued_invoices:
				"Invoices already issued to or by the number are not touched: tax law requires that they are kept for 10 years.",
		},
		_links: linksOf(tombstone.purgeId),
	};
}

/** How long a shared cache may keep a look-up. Source: the specification, registry single-lookup caching. */
export const LOOKUP_MAX_AGE_SECONDS = 300;

function describe(tombstone: TombstoneRow) {
	return {
		purge_id: tombstone.purgeId,
		status: "purged" as const,
		purged_at: tombstone.purgedAt.toISOString(),
		legal_basis: tombstone.legalBasis,
		request_reference: tombstone.requestReference,
		effects: { memory_index: true, database: true, history: true, change_feed: true, snapshots: "next-run" },
		tombstone: true,
		cached_copies_expire_at: new Date(tombstone.purgedAt.getTime() + LOOKUP_MAX_AGE_SECONDS * 1000).toISOString(),
	};
}

function linksOf(purgeId: string) {
	return { self: `/v1/authority/purges/${purgeId}` };
}

export const examplePurgeRequest: PurgeRequest = {
	legal_basis: "arco-cancellation",
	request_reference: "ARCO-2026-00017",
	requested_by: "dpo@example.do",
	reason: "Data subject request, Law 172-13",
};

const exampleTombstone: TombstoneRow = {
	purgeId: "0192f160-7c1d-7e2f-9a3b-4c5d6e7f8091",
	purgedAt: new Date("2026-11-20T15:10:00.000Z"),
	legalBasis: examplePurgeRequest.legal_basis,
	requestReference: examplePurgeRequest.request_reference,
};

export const examplePurgeRecord: PurgeRecord = toPurgeRecord(exampleTombstone);

export const examplePurgeAnswer: PurgeAnswer = {
	...describe(exampleTombstone),
	document: "*******0681",
	receipt: "eyJhbGciOiJFZERTQSJ9.eyJwdXJnZV9pZCI6IjAxOTJmMTYwIn0.c2lnbmF0dXJl",
	_links: linksOf(exampleTombstone.purgeId),
};
