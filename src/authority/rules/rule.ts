/** What a business rule is: one row of the table of rules. */
import type { EcfPlan, EcfType } from "../../ecf/mapping";

/** A stored document of the same tenant that a note modifies. */
export type OriginalDocument = {
	readonly status: "pending" | "accepted" | "rejected" | "failed";
	/** `YYYY-MM-DD`. */
	readonly issueDate: string;
	/** Digits only. */
	readonly buyerRnc?: string;
	readonly total: string;
	/** The total with earlier debit notes and without earlier credit notes, those that were rejected left out. */
	readonly balance: string;
};

/** What the rules look at. They ask nobody: whoever calls has looked things up. */
export type RuleFacts = {
	readonly plan: EcfPlan;
	/** The registry's status of issuer and buyer, null where it has no entry; absent where no registry is loaded. */
	readonly registry?: { readonly issuer: string | null; readonly buyer: string | null };
	/** Absent where the plan refers to nothing, or to a document that was not issued here. */
	readonly original?: OriginalDocument;
	/** The issuer's day (`YYYY-MM-DD`) where it has a clock of its own; that of the signature otherwise. */
	readonly issuersDay?: string;
};

/** One breach of a rule. The values fill the braces of the rule's message. */
export type Breach = { readonly pointer: string; readonly values?: Readonly<Record<string, string>> };

export type BusinessRule = {
	/** Stable name. */
	readonly code: string;
	/** As the authority numbers its refusal; absent where no answer with a number has been seen. */
	readonly number?: string;
	readonly types: readonly EcfType[];
	/** What the authority does with a document that breaks the rule. */
	readonly verdict: "rejected" | "conditional";
	/** The summary of a small consumer invoice holds what the rule looks at; what it does not hold, the authority cannot judge. */
	readonly isInSummary?: true;
	/** Words in braces are filled from the breach. */
	readonly message: { readonly en: string; readonly es: string };
	readonly check: (facts: RuleFacts) => readonly Breach[];
};

export const NONE: readonly Breach[] = [];

/** A breach at a place if the condition holds. */
export function breachIf(
	condition: boolean,
	pointer: string,
	values?: Readonly<Record<string, string>>,
): readonly Breach[] {
	return condition ? [{ pointer, ...(values ? { values } : {}) }] : NONE;
}
