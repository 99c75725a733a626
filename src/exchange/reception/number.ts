/**
 * Whose an issuer's number is, among the documents that came under it.
 *
 *     the same bytes were here                      same       its answer again
 *     the authority accepted one of them            duplicate  the number is that one's
 *     one of the same signer, not rejected          duplicate  whoever signs another one under a number has made it twice
 *     five others' within three days, unproven      full       to come again; and so are five of its own that were rejected
 *     else                                          new        beside those that are there
 *
 * Model: a certificate names a person, and whom that person signs for only the authority knows. So arriving first proves nothing, and neither does that
 * the authority rejected a document, since anybody may send it one. What proves is that it accepted this very document, told by its security code.
 * Each of the authority's environments has numbers of its own: what a company received while it was certified binds none of its numbers in production.
 *
 * Gap: how many may wait beside each other is said nowhere. Five signers may; the sixth is told to come again, by which time the authority has
 * been asked after each. How many one of them has sent takes no place from the others, and is bounded by itself. What the company imports is not
 * counted, so it can always take in what it knows to be good.
 */
import { CONTINGENCY_SECONDS } from "../../authority/client";
import type { ReceivedDocument } from "./received-document";

/** What is asked of a document that came under the number before. */
export type Copy = Pick<
	ReceivedDocument,
	"id" | "sha256" | "signer" | "segment" | "authorityStatus" | "source" | "receivedAt"
>;

export type NumberOutcome =
	| { readonly kind: "new" }
	| { readonly kind: "full" }
	/** `copy`: the same, or the one that the number is held by. */
	| { readonly kind: "same" | "duplicate"; readonly copy: Copy };

/** Signers, and documents of each, that peers may have sent under a number within `UNPROVEN_MS`. */
export const UNPROVEN_MAX = 5;
/** For so long the authority is asked after a document. */
const UNPROVEN_MS = CONTINGENCY_SECONDS * 1_000;

/** What a document meets that comes at `at`; `isBounded` for those that strangers send. */
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
