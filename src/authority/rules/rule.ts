/** The type of a business rule: one row of the table of rules. */
import type { EcfPlan, EcfType } from "../../ecf/mapping";

/** A stored document of the same tenant that a note modifies. */
export type OriginalDocument = {
	readonly status: "pending" | "accepted" | "rejected" | "failed";
	/** `YYYY-MM-DD`. */
	readonly issueDate: string;
	/** Digits only. */
	readonly buyerRnc?: string;
	/** Number of a foreign buyer, as the document states it. */
	readonly foreignBuyer?: string;
	readonly total: string;
	/** The total plus earlier debit notes minus earlier credit notes, without rejected ones. */
	readonly balance: string;
	/** A credit note with code 1 on it has been accepted. */
	readonly isAnnulled: boolean;
};

/** The data that rules check. Rules look nothing up; the caller has. */
export type RuleFacts = {
	readonly plan: EcfPlan;
	/** The registry's status of issuer and buyer, null without an entry; absent if no registry is loaded. */
	readonly registry?: {
		readonly issuer: string | null;
		readonly buyer: string | null;
		/** The registry's data is too old to be sure of. */
		readonly isStale?: boolean;
	};
	/** Absent if the plan refers to nothing, or to a document that was not issued here. */
	readonly original?: OriginalDocument;
	/** The issuer's day (`YYYY-MM-DD`) by its test clock; otherwise the day of the signature. */
	readonly issuersDay?: string;
	/** The issuer has registered ranges of the type, and none of them has the number. */
	readonly isOutsideRanges?: boolean;
};

/** `isUncertain`: the authority may accept the document all the same, so the warning names no verdict. The value `expected` is shown on its own. */
export type Breach = {
	readonly pointer: string;
	readonly values?: Readonly<Record<string, string>>;
	readonly isUncertain?: boolean;
};

export type BusinessRule = {
	/** Stable name. */
	readonly code: string;
	/** The authority's number for this refusal; absent if no answer with a number has been observed. */
	readonly number?: string;
	readonly types: readonly EcfType[];
	/** What the authority does with a document that breaks the rule. */
	readonly verdict: "rejected" | "conditional";
	/** The summary of a small consumer invoice holds the checked data. The authority cannot judge what it does not hold. */
	readonly isInSummary?: true;
	/** Words in braces are filled from the breach. */
	readonly message: { readonly en: string; readonly es: string };
	readonly check: (facts: RuleFacts) => readonly Breach[];
};

export const NONE: readonly Breach[] = [];

export function breachIf(
	condition: boolean,
	pointer: string,
	values?: Readonly<Record<string, string>>,
): readonly Breach[] {
	return condition ? [{ pointer, ...(values ? { values } : {}) }] : NONE;
}
