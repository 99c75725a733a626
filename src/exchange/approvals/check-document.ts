/** Whether a company may decide on a received document, by what the authority has said of it and of others under its number. */
import { Problem } from "../../platform/problem";
import { Decimal } from "../../platform/values";
import type { ReceivedDocument } from "../reception";
import type { ApprovalRow, Decision } from "./approval";

/**
 * A word names issuer and number alone, so it is about whichever document the authority has there: on a copy that is not known to be that one
 * nothing is said, neither good nor bad. Throws: duplicate-document; approval-already-decided for a document that the authority has rejected.
 *
 * Gap: the authority takes approvals of accepted documents alone. A rejected one can be rejected all the same: its issuer then hears that the buyer
 * does not owe it. One that the authority does not know yet may be approved, as long as it is the only one.
 */
export function checkDocument({ proof, authorityStatus }: ReceivedDocument, decision: Decision): void {
	if (proof === "superseded") {
		const detail = "The authority has accepted another document under this number; decide on that one.";
		throw new Problem("duplicate-document", { detail, extensions: { proof } });
	}
	if (proof === "contested") {
		const detail =
			"Several documents came under this number, and the authority has not told yet which one is its issuer's.";
		throw new Problem("duplicate-document", { detail, extensions: { proof } });
	}
	if (authorityStatus === "rejected" && decision === "approved") {
		const detail = "The authority has rejected the document, so there is nothing to approve; it can still be rejected.";
		throw new Problem("approval-already-decided", { detail, extensions: { authorityStatus } });
	}
}

/**
 * True when a word on another document of the number says all that one on this document would.
 *
 * Gap: then the first word stands. One that names another day or total was about nothing, for no issuer finds it among its documents; and one on
 * a document that the authority has rejected is over with it, since its issuer may have made it anew under the number.
 */
export function isSaidOf(
	word: Pick<ApprovalRow, "issueDate" | "total">,
	{ issueDate, grandTotal }: Pick<ReceivedDocument, "issueDate" | "grandTotal">,
): boolean {
	return word.issueDate === issueDate && Decimal.of(word.total).equals(Decimal.of(grandTotal));
}
