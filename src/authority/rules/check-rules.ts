/**
 * The authority's business rules beyond its schema, checked before a document is sent. They form one table. Each row has the authority's
 * number, a message in two languages, the types that it applies to, and the check.
 *
 * Rules outside the table hold by construction, which tests prove: the price indicator (176), the indicator of late credit notes (156), sums
 * of the header (1920, 3205), discounts and surcharges of a line with their tables (2020, 2030), a withholding on every line of a 41, one
 * entry for each rate that a global discount touches, and foreign amounts by the exchange rate. Only the authority knows whether a number is
 * authorised (75, 135) and the signer is delegated.
 *
 * Source: the authority's e-CF format, October 2025, conditions of the fields; numbers as observed in its answers, since it publishes no list.
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
 * Every breach as a warning, with the authority's verdict if it sees the breach. For a small consumer invoice the authority gets only the
 * summary, but the document is just as wrong for its reader. The plan must be free of violations.
 */
export function checkBusinessRules(facts: RuleFacts): Warning[] {
	const { type } = facts.plan;
	const isSummary = isSummaryPlan(facts.plan);
	return BUSINESS_RULES.flatMap((rule) => {
		if (!rule.types.includes(type)) return [];
		return rule.check(facts).map(({ pointer, values = {}, isUncertain = false }): Warning => {
			const { code, number, verdict, message, isInSummary } = rule;
			const { expected } = values;
			const detail = fill(message.en, values);
			const detailEs = fill(message.es, values);
			const said = { code, pointer, detail, detailEs, ...(expected === undefined ? {} : { expected }) };
			if (isUncertain || (isSummary && !isInSummary)) return said;
			return { ...said, ...(number === undefined ? {} : { authorityCode: number }), verdict };
		});
	});
}

function fill(message: string, values: Readonly<Record<string, string>>): string {
	return message.replace(/\{(\w+)\}/g, (_, name: string) => values[name] ?? "");
}
