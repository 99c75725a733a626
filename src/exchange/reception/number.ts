/**
 * Which of the documents under one number of an issuer counts.
 *
 *     the same bytes were received                  same       repeat its answer
 *     the authority accepted one of them            duplicate  the number belongs to that one
 *     one by the same signer, not rejected          duplicate  the signer used the number twice
 *     five other signers in three days, unproven    full       retry later; also after five rejected ones by the same signer
 *     otherwise                                     new        stored beside the others
 *
 * Model: a certificate names a person, and only the authority knows for whom that person may sign. So arriving first proves nothing, and
 * neither does a rejection, since anyone may submit a document. The proof is that the authority accepted this very document, identified by its
 * security code. Each of the authority's environments has its own numbers: documents received during certification bind no number in
 * production.
 *
 * Gap: the number of documents that may wait beside each other is not specified. Five signers may; the sixth has to retry, after the authority
 * has been queried for each. Documents of one signer take no place from others and have their own limit. Imports are not limited, so a company
 * can always import what it knows to be genuine.
 */
import { CONTINGENCY_SECONDS } from "../../authority/client";
import type { ReceivedDocument } from "./received-document";

/** The data needed about an earlier document under the number. */
export type Copy = Pick<
	ReceivedDocument,
	"id" | "sha256" | "signer" | "segment" | "authorityStatus" | "source" | "receivedAt"
>;

export type NumberOutcome =
	| { readonly kind: "new" }
	| { readonly kind: "full" }
	/** `copy`: the same document, or the one that holds the number. */
	| { readonly kind: "same" | "duplicate"; readonly copy: Copy };

/** Limit for counterparties within `UNPROVEN_MS`: signers per number, and documents per signer. */
export const UNPROVEN_MAX = 5;
/** How long the authority is queried about a document. */
const UNPROVEN_MS = CONTINGENCY_SECONDS * 1_000;

/** The outcome for a document that arrives at `at`; `isBounded` for those from counterparties. */
export function resolveNumber(
	copies: readonly Copy[],
	document: Pick<Copy, "sha256" | "signer" | "segment">,
	{ at, isBounded }: { readonly at: Date; readonly isBounded: boolean },
): NumberOutcome {
	const same = copies.find(({ sha256 }) => sha256 === document.sha256);
	if (same) return { kind: "same", copy: same };
	const others = copies.filter(({ segment }) => segment === document.segment);
	const proven = others.find(({ authorityStatus }) => authorityStatus === "accepted");
	if (proven) return { kind: "duplicate", copy: proven };
	const own = others.find(
		({ signer, authorityStatus }) => signer === document.signer && authorityStatus !== "rejected",
	);
	if (own) return { kind: "duplicate", copy: own };
	if (!isBounded) return { kind: "new" };
	const late = others.filter(
		({ source, receivedAt }) => source === "peer" && at.getTime() - receivedAt.getTime() < UNPROVEN_MS,
	);
	const [ownLate, othersLate] = [
		late.filter(({ signer }) => signer === document.signer),
		new Set(late.map(({ signer }) => signer).filter((signer) => signer !== document.signer)),
	];
	return { kind: ownLate.length >= UNPROVEN_MAX || othersLate.size >= UNPROVEN_MAX ? "full" : "new" };
}
