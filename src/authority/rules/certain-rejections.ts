/** The rejections that are certain before a document is sent, so that a company can choose to have such documents refused here. */
import type { Warning } from "../../ecf/mapping";

/**
 * The codes of these warnings, with the authority's number; null where no answer with a number has been observed. The simulator of the sandboxes
 * rejects for the same reasons. `tax-not-derivable` is a warning of the mapping: the authority rejects amounts whose tax no rates explain.
 */
export const CERTAIN_REJECTIONS: ReadonlyMap<string, string | null> = new Map([
	["reference-missing", "64"],
	["reference-debit-cancels", "64"],
	["reference-to-note", null],
	["reference-annulled", null],
	["reference-cancels-part", "615"],
	["reference-balance", "615"],
	["reference-buyer", "615"],
	["reference-date", "634"],
	["reference-not-accepted", "614"],
	["reference-replaces-electronic", "613"],
	["sequence-expired", "135"],
	["number-not-authorised", "135"],
	["issuer-inactive", null],
	["tax-not-derivable", null],
]);

/** Warnings of the mapping have no verdict. Those of the rules have one unless the authority does not see the breach or may pass it over. */
const WITHOUT_VERDICT = "tax-not-derivable";

export function isCertainRejection({ code, verdict }: Pick<Warning, "code" | "verdict">): boolean {
	return CERTAIN_REJECTIONS.has(code) && (verdict === "rejected" || code === WITHOUT_VERDICT);
}
