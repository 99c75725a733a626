/** The authority's business rules beyond structure and signature; all findings are told at once. */
import type { Ecf } from "../ecf";
import { ACCEPTED, conditional, type Judgement, rejected } from "../judgement";
import { checkAmounts } from "./amounts";
import { checkConsumerLimit } from "./consumer-limit";
import { checkLineNumbers, checkPriceIndicator, checkWithholding } from "./fields";
import type { Rule } from "./finding";
import { checkReference, type ReferenceLookup } from "./references";
import { checkSigningTime } from "./signing-time";

export type { ReferenceLookup } from "./references";

export function applyRules(ecf: Ecf, lookup: ReferenceLookup, now: Date): Judgement {
	const rules: readonly Rule[] = [
		checkConsumerLimit,
		(document) => checkSigningTime(document, now),
		checkLineNumbers,
		checkPriceIndicator,
		checkWithholding,
		(document) => checkReference(document, lookup),
		checkAmounts,
	];
	const findings = rules.flatMap((rule) => rule(ecf));
	const graves = findings.filter((finding) => finding.grave).map((finding) => finding.message);
	if (graves.length > 0) return rejected(...graves);
	if (findings.length > 0) return conditional(...findings.map((finding) => finding.message));
	return ACCEPTED;
}
