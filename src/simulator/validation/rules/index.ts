/** The authority's business rules beyond structure and signature; all findings are reported at once. */
import type { Ecf, Finding, Rule } from "../ecf";
import { ACCEPTED, conditional, type Judgement, rejected, released } from "../judgement";
import { checkAdditionalTaxes, checkLineNumbers, checkPriceIndicator, checkWithholding } from "./additional-taxes";
import { checkAmounts } from "./amounts";
import { checkAdjustments, checkLineTables, checkPercentDiscounts } from "./discounts";
import { checkBuyer, checkConsumerLimit, checkPaymentForms, checkSigningTime, checkTerms } from "./header";
import { checkReference, type ReferenceLookup } from "./references";
import { checkIndicators, checkOtherCurrency, checkPages, checkRates } from "./whole";

export type { ReferenceLookup } from "./references";

/** `known`: findings about issuer and number. */
export function applyRules(ecf: Ecf, lookup: ReferenceLookup, now: Date, known: readonly Finding[] = []): Judgement {
	const rules: readonly Rule[] = [
		checkConsumerLimit,
		(document) => checkSigningTime(document, now),
		checkBuyer,
		checkTerms,
		checkPaymentForms,
		checkLineNumbers,
		checkPriceIndicator,
		checkIndicators,
		checkRates,
		checkWithholding,
		checkLineTables,
		checkPercentDiscounts,
		checkAdjustments,
		checkAdditionalTaxes,
		checkOtherCurrency,
		checkPages,
		(document) => checkReference(document, lookup),
		checkAmounts,
	];
	const findings = [...known, ...rules.flatMap((rule) => rule(ecf))];
	const graves = findings.filter((finding) => finding.grave).map((finding) => finding.message);
	const unreadable = graves.filter(({ code }) => code === "64");
	if (unreadable.length > 0) return released(...unreadable);
	if (graves.length > 0) return rejected(...graves);
	if (findings.length > 0) return conditional(...findings.map((finding) => finding.message));
	return ACCEPTED;
}
