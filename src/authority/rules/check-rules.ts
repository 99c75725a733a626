/**
 * The authority's business rules beyond its schema, asked before a document is sent: one table, each row with the number that the
 * authority gives, a message in two languages, the types it holds for and the check.
 *
 * What is not in the table holds for every document by the way it is made, and tests say so: the price indicator (176), the
 * indicator of late credit notes (156), sums of the header (1920, 3205), discounts and surcharges of a line with their tables (2020,
 * 2030), a withholding on every line of a 41, one entry for each rate that a global discount touches, foreign amounts by the rate.
 * Nobody but the authority can tell whether a number is authorised (75, 135) and whether the signer is delegated.
 *
 * Source: the authority's e-CF format, October 2025, conditions of the fields; numbers as seen in its answers, for it publishes no list.
 */
import { isSummaryPlan, type Warning } from "../../ecf/mapping";
import { ADDITIONAL_TAX_RULES } from "./additional-taxes";
import { AMOUNT_RULES } from "./amounts";
import { PARTY_RULES } from "./parties";
import { REFERENCE_RULES } from "./references";
import type { BusinessRule, RuleFacts } from "./rule";

export const BUSINESS_RULES: readonly BusinessRule[] = [
	...PARTY_RULES,
	...REFERENCE_RULES,
	...AMOUNT_RULES,
	...ADDITIONAL_TAX_RULES,
];

/**
 * Every breach as a warning to the caller, with the authority's verdict where it gets to see the breach: of a small consumer invoice it gets the summary
 * alone, and the document is as wrong for its reader all the same. The plan must be one without faults.
 */
export function checkBusinessRules(facts: RuleFacts): Warning[] {
	const { type } = facts.plan;
	const isSummary = isSummaryPlan(facts.plan);
	return BUSINESS_RULES.flatMap((rule) => {
		if (!rule.types.includes(type)) return [];
		return rule.check(facts).map(({ pointer, values = {} }): Warning => {
			const { code, number, verdict, message, isInSummary } = rule;
			const detail = fill(message.en, values);
			const detailEs = fill(message.es, values);
			const said = { code, pointer, detail, detailEs };
			if (isSummary && !isInSummary) return said;
			return { ...said, ...(number === undefined ? {} : { authorityCode: number }), verdict };
		});
	});
}

function fill(message: string, values: Readonly<Record<string, string>>): string {
	return message.replace(/\{(\w+)\}/g, (_, name: string) => values[name] ?? "");
}
