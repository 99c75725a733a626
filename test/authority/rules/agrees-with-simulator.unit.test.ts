/** The caller's warnings and the simulator's verdicts on the same document: two programs, one set of rules. */
import { expect, test } from "bun:test";
import { randomInvoice } from "../../../scripts/random/random-invoice";
import { checkBusinessRules } from "../../../src/authority/rules";
import { CERTAIN_REJECTIONS } from "../../../src/authority/rules/certain-rejections";
import { BUSINESS_RULES } from "../../../src/authority/rules/check-rules";
import type { RuleFacts } from "../../../src/authority/rules/rule";
import { type EcfInput, type EcfLine, isSummaryPlan, planEcf, writeEcf, writeSummary } from "../../../src/ecf/mapping";
import type { Reception, Store, TaxpayerStanding } from "../../../src/simulator/store";
import { checkBuyerStanding, checkIssuer, checkRange, hasExpired } from "../../../src/simulator/validation/decide";
import { type Ecf, toEcf } from "../../../src/simulator/validation/ecf";
import type { VerdictCode } from "../../../src/simulator/validation/judgement";
import { type ReadDocument, readDocument } from "../../../src/simulator/validation/read-document";
import { applyRules, type ReferenceLookup } from "../../../src/simulator/validation/rules";
import { checkStructure } from "../../../src/simulator/validation/structure";
import { buildInvoice, buildLine, SECURITY_CODE, toInput } from "../../ecf/signing/samples";
import { BORDERS } from "./support/borders";

/** Only a registry or the authority can check these. */
const UNTOLD = ["customer-check-digit", "sequence-expired"];
const NOW = new Date("2030-01-01T00:00:00Z");

const inputs = Array.from({ length: 300 }, (_, number) => randomInvoice(11, number))
	.filter(({ lines }) => lines.length <= 100)
	.map((invoice) => toInput(invoice));
const whole = inputs.filter((input) => !isSummaryPlan(planEcf(input)));
const small = Array.from({ length: 900 }, (_, number) => randomInvoice(12, number))
	.filter(({ type, lines }) => type === "32" && lines.length <= 100)
	.map((invoice) => toInput(invoice))
	.filter((input) => isSummaryPlan(planEcf(input)));

function read(xml: string): ReadDocument["root"] {
	// As sent: the authority requires these three as references.
	const sent = xml.replace(/[©€®]/g, (character) => `&#${character.charCodeAt(0)};`);
	const document = readDocument(new TextEncoder().encode(sent));
	if (typeof document === "string") throw new Error(document);
	return document.root;
}

/** The modified document, as the note needs it. */
function originalOf(ecf: Ecf): ReferenceLookup {
	const { reference, buyerRnc, foreignBuyer, total } = ecf;
	const original = {
		verdict: 1,
		issueDate: reference?.date,
		buyerRnc,
		foreignBuyer,
		total: total.toString(),
		type: "31",
	};
	return { find: () => original as Reception, listNotesOn: () => [] };
}

/** The verdict that the warnings predict, and the simulator's verdict, with both texts. */
function compare(input: EcfInput) {
	const plan = planEcf(input);
	const warnings = [...plan.warnings, ...checkBusinessRules({ plan })].filter(({ code }) => !UNTOLD.includes(code));
	const verdicts = new Set(warnings.map(({ verdict }) => verdict));
	const expected: VerdictCode = verdicts.has("rejected") ? 2 : verdicts.has("conditional") ? 4 : 1;
	const road = isSummaryPlan(plan) ? "fc" : "main";
	const root = read(road === "fc" ? writeSummary(plan, SECURITY_CODE) : writeEcf(plan));
	const ecf = toEcf(root, road, "abcdefgh");
	const faults = checkStructure(root, road, { rnc: ecf.rnc, encf: ecf.encf });
	const judged = applyRules(ecf, originalOf(ecf), NOW);
	const verdict = faults.length > 0 ? 2 : judged.verdict;
	const texts = [...faults, ...judged.messages].map(({ text }) => text);
	return { expected, verdict, encf: plan.encf, texts, codes: warnings.map(({ code }) => code) };
}

test("the simulator rejects or accepts conditionally what the caller is warned of", () => {
	const seen = { 1: 0, 2: 0, 4: 0 };
	for (const input of whole) {
		const { expected, ...outcome } = compare(input);
		expect(outcome).toMatchObject({ verdict: expected });
		seen[outcome.verdict]++;
	}
	for (const count of Object.values(seen)) expect(count).toBeGreaterThan(20);
});

test("a summary gets no warning about data that only the document contains", () => {
	let warned = 0;
	for (const input of small) {
		const { expected, ...outcome } = compare(input);
		expect(outcome).toMatchObject({ verdict: expected });
		if (outcome.codes.some((code) => BUSINESS_RULES.some((rule) => rule.code === code && !rule.isInSummary))) warned++;
	}
	expect(warned).toBeGreaterThan(20);
});

test("a summary with a tax that does not follow from its base gets a warning", () => {
	const lines = Array.from({ length: 4 }, () => buildLine({ tax_rate: "18" }));
	const of32 = (tax: string, grand_total: string) =>
		toInput(buildInvoice({ type: "32", lines, totals: { subtotal: "400.00", tax, grand_total } }));
	expect(compare(of32("73.00", "473.00"))).toMatchObject({ expected: 1, verdict: 1 });
	expect(compare(of32("73.01", "473.01"))).toMatchObject({ expected: 4, verdict: 4 });
});

test("a summary with excise needs ITBIS at 18 %, even without a line at that rate", () => {
	const withExcise = (amount: string, tax_rate: string) => {
		const excised = buildLine({ tax_rate, additional_taxes: [{ code: "023", amount }] });
		const grand_total = (100 + Number(amount)).toFixed(2);
		return toInput(
			buildInvoice({ type: "32", lines: [excised], totals: { subtotal: "100.00", tax: amount, grand_total } }),
		);
	};
	// 18 % of these is 0.999 and 1.0116.
	expect(compare(withExcise("5.55", "exempt"))).toMatchObject({ expected: 1, verdict: 1 });
	expect(compare(withExcise("5.62", "exempt"))).toMatchObject({ expected: 4, verdict: 4 });
	expect(compare(withExcise("10.00", "0"))).toMatchObject({ expected: 4, verdict: 4 });
});

/** A document with one line of 100.00. */
const of = (type: string, line: Partial<EcfLine>, tax: string, grand_total: string) =>
	toInput(buildInvoice({ type, lines: [buildLine(line)], totals: { subtotal: "100.00", tax, grand_total } }));
const taxed = (rate: string, amount: string, tax: string, total: string) =>
	of("31", { tax_rate: "18", additional_taxes: [{ code: "002", rate, amount }] }, tax, total);

test.each<[string, EcfInput, VerdictCode]>([
	["all ITBIS withheld", of("41", { withholding: { itbis: "18", isr: "0" } }, "18.00", "118.00"), 1],
	["more ITBIS withheld than there is", of("41", { withholding: { itbis: "50", isr: "0" } }, "18.00", "118.00"), 2],
	[
		"ITBIS withheld of an exempt line",
		of("41", { tax_rate: "exempt", withholding: { itbis: "5", isr: "0" } }, "0.00", "100.00"),
		2,
	],
	["the rate of the table", taxed("2", "2.00", "20.00", "120.00"), 1],
	["another rate than that of the table", taxed("3", "3.00", "21.00", "121.00"), 2],
])("both say the same of %s", (_, input, verdict) => {
	expect(compare(input)).toMatchObject({ expected: verdict, verdict });
});

const toAuthorityDate = (day: string) => day.split("-").reverse().join("-");

/** The modified document and its notes as the simulator would have stored them. */
function lookupOf({ original }: RuleFacts, ecf: Ecf): ReferenceLookup {
	if (!original) return originalOf(ecf);
	const { status, issueDate, buyerRnc = null, total, balance, isAnnulled } = original;
	const taken = (Number(total) - Number(balance)).toFixed(2);
	const notes = [
		...(Number(taken) > 0 ? [{ type: "34", total: taken, referenceCode: "3" }] : []),
		...(isAnnulled ? [{ type: "34", total: "0.00", referenceCode: "1" }] : []),
	];
	const verdict = status === "rejected" || status === "failed" ? 2 : 1;
	const known = { verdict, issueDate: toAuthorityDate(issueDate), buyerRnc, foreignBuyer: null, total };
	return { find: () => known as Reception, listNotesOn: () => notes as Reception[] };
}

/** Taxpayers and ranges as the facts have them. */
function storeOf({ plan, registry, isOutsideRanges }: RuleFacts): Pick<Store, "issuers"> {
	const toStanding = (status: string | null): TaxpayerStanding => {
		if (status === null) return "unknown";
		return status === "ACTIVO" ? "electronic" : "inactive";
	};
	const buyer = registry === undefined ? "unknown" : toStanding(registry.buyer);
	const issuer = registry?.issuer ? toStanding(registry.issuer) : "electronic";
	const elsewhere = [{ first: 9_000_000_000, last: 9_000_000_001, expiresOn: null }];
	const issuers = {
		standingOf: (rnc: string) => (rnc === plan.issuer.rnc ? issuer : buyer),
		listRanges: () => (isOutsideRanges ? elsewhere : []),
	};
	return { issuers } as unknown as Pick<Store, "issuers">;
}

/** The simulator's whole judgement of a plan, without signature and duplicates. */
function judgePlan(facts: RuleFacts): VerdictCode {
	const { plan } = facts;
	const channel = plan.type === "32" && Number(plan.totals.total) < 250_000 ? "fc" : "main";
	const root = read(channel === "fc" ? writeSummary(plan, SECURITY_CODE) : writeEcf(plan));
	const ecf = toEcf(root, channel, "abcdefgh");
	if (checkStructure(root, channel, { rnc: ecf.rnc, encf: ecf.encf }).length > 0) return 2;
	const now = new Date(plan.signedAt);
	const store = storeOf(facts);
	const range = checkRange(ecf, "ecf", store as Store, now);
	if (checkIssuer(ecf, "ecf", store as Store) || hasExpired(ecf, now) || "verdict" in range) return 2;
	const known = [...range.findings, ...checkBuyerStanding(ecf, store)];
	return applyRules(ecf, lookupOf(facts, ecf), now, known).verdict;
}

test("the simulator enforces every rule whose warning names a verdict", () => {
	for (const { code } of BUSINESS_RULES) {
		for (const facts of BORDERS[code]?.breaks ?? []) {
			const verdicts = new Set(checkBusinessRules(facts).map(({ verdict }) => verdict));
			const predicted = verdicts.has("rejected") ? 2 : verdicts.has("conditional") ? 4 : 1;
			expect([code, judgePlan(facts)]).toEqual([code, predicted]);
		}
	}
});

test("the simulator rejects for every certain rejection of the rules", () => {
	const rules = BUSINESS_RULES.filter(({ code }) => CERTAIN_REJECTIONS.has(code));
	expect(rules.map(({ verdict }) => verdict)).toEqual(rules.map(() => "rejected"));
	for (const { code } of rules) for (const facts of BORDERS[code]?.breaks ?? []) expect(judgePlan(facts)).toBe(2);
});
