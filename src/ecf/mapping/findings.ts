/** What the mapping has to say about a request: losses that it can live with, and things that no e-CF can hold. */
import { type Static, Type } from "@sinclair/typebox";
import type { Fault } from "../../platform/problem";

/** The document can be made, but something was lost, guessed or looks wrong. Strict callers turn it into a fault. */
export const WarningSchema = Type.Object({
	code: Type.String({ description: "Stable name of the rule." }),
	pointer: Type.String({ description: "JSON pointer into the request." }),
	detail: Type.String({ description: "A sentence." }),
	detailEs: Type.Optional(Type.String({ description: "The sentence in Spanish, where the authority has the rule." })),
	authorityCode: Type.Optional(
		Type.String({
			description:
				"The number that the authority's own message will have, where it gives `verdict`; see `/v1/authority/codes`.",
		}),
	),
	verdict: Type.Optional(
		Type.Union([Type.Literal("rejected"), Type.Literal("conditional")], {
			description:
				"What the authority does with a document that breaks this rule of its own. Absent where it never sees what the rule looks at: of a consumer invoice below 250,000.00 it gets a summary, without lines, adjustments and reference.",
		}),
	),
});
export type Warning = Readonly<Static<typeof WarningSchema>>;

export type Findings = { readonly warnings: Warning[]; readonly faults: Fault[] };

export function newFindings(): Findings {
	return { warnings: [], faults: [] };
}

export function warn(findings: Findings, code: string, pointer: string, detail: string): void {
	findings.warnings.push({ code, pointer, detail });
}

export function fault(findings: Findings, code: string, pointer: string, detail: string): void {
	findings.faults.push({ code, pointer, detail });
}
