/** What a stranger's approval is: verified, and only then read. Nothing is looked up and nothing is written. */
import { type TrustedAuthority, verifyDocument } from "../../ecf/verification";
import { type ReadApproval, readAcecf } from "./read-acecf";

/** Plain data, so that it can cross between threads. */
export type ExaminedApproval =
	| { readonly kind: "genuine"; readonly word: ReadApproval; readonly signerSubject: string }
	| { readonly kind: "refused"; readonly code: "signature" | "specification"; readonly detail: string };

export function examineApproval(
	bytes: Uint8Array,
	options: { readonly now: Date; readonly authorities: readonly TrustedAuthority[] | undefined },
): ExaminedApproval {
	const { content, signer, faults } = verifyDocument(bytes, options);
	if (!content || !signer) {
		return { kind: "refused", code: "signature", detail: `The signature does not hold: ${faults[0]?.detail ?? ""}.` };
	}
	const word = readAcecf(content);
	if (typeof word === "string") return { kind: "refused", code: "specification", detail: word };
	return { kind: "genuine", word, signerSubject: signer.subject };
}
