/** What was found of a stored document before it was sent, read back from the warnings that are kept with it. */
import { type Static, Type } from "@sinclair/typebox";
import type { Warning } from "../../../ecf/signing";
import type { InvoiceRow } from "../model/invoice-row";

const Outcome = (failed: string) =>
	Type.String({ description: `\`passed\`, or \`failed\` where ${failed}; the invoice's \`warnings\` say what it is.` });

/** The checks of a document, its own and the authority's. */
export const Validation = Type.Object({
	schema: Outcome("the authority's schema refuses the document, as for a number that has not 13 characters"),
	signature: Type.String({ description: "`passed`: a document whose signature does not verify is not stored." }),
	arithmetic: Outcome(
		"amounts do not follow from each other, within the specification's tolerances or the authority's",
	),
	registry: Type.Object({
		issuer: Type.Union([Type.String(), Type.Null()]),
		buyer: Type.Union([Type.String(), Type.Null()]),
		runId: Type.Union([Type.String(), Type.Null()]),
	}),
	authority: Type.String({ description: "pending, accepted, conditional, rejected or failed." }),
});
export type Validation = Static<typeof Validation>;

/** What is written all the same although the authority's schema refuses it; see `signing/plan-ecf.ts`. */
const AGAINST_SCHEMA: ReadonlySet<string> = new Set(["encf-length", "reference-missing"]);
/** What does not add up. That a rate is another than the authority's table has, or that decimals were rounded away, is no matter of sums. */
const AGAINST_ARITHMETIC: ReadonlySet<string> = new Set([
	"line-product",
	"tax-not-derivable",
	"adjustment-percent",
	"adjustments-not-in-totals",
	"base-18-differs",
	"base-differs",
	"itbis-differs",
	"withheld-itbis-differs",
	"additional-tax-differs",
]);

/** The checks of a stored document. */
export function toValidation({ warnings, registry, status, authority }: InvoiceRow): Validation {
	const isConditional = status === "accepted" && authority?.code === "4";
	return {
		schema: outcomeOf(warnings, AGAINST_SCHEMA),
		// A document is stored only after its own signature has been checked.
		signature: "passed",
		arithmetic: outcomeOf(warnings, AGAINST_ARITHMETIC),
		registry: { ...registry },
		authority: isConditional ? "conditional" : status,
	};
}

function outcomeOf(warnings: readonly Warning[], codes: ReadonlySet<string>): string {
	return warnings.some(({ code }) => codes.has(code)) ? "failed" : "passed";
}
