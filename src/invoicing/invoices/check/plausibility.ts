/** Warnings about documents that the authority accepts and that are probably not meant so. They never lead to a refusal, except in strict mode. */
import { isBuyerListed } from "../../../authority/rules";
import {
	type EcfPlan,
	findOtherIssuer,
	type InvoiceRequest,
	profileOf,
	typesWhere,
	type Warning,
} from "../../../ecf/mapping";
import { Decimal } from "../../../platform/values";
import type { RegistryEntry } from "../../../registry";

export type PlausibilityFacts = {
	readonly plan: EcfPlan;
	readonly invoice: InvoiceRequest;
	readonly issuerRnc: string;
	/** The registry's entry of the customer. */
	readonly buyer: RegistryEntry | undefined;
	readonly scoreName: (entry: RegistryEntry, name: string) => number;
	/** The modified document was looked up among those issued here, and is none of them. */
	readonly isOriginalMissing: boolean;
};

/** Below this score two names have hardly a word in common. */
const SCORE_MIN = 0.55;
const CREDIT = "2";
const FREE = "3";
const REPLACES = "4";
/** Types whose buyer declares the document with its name. */
const WITH_NAMED_BUYER = typesWhere(({ namesBuyer, isPurchase }) => namesBuyer && !isPurchase);

export function checkPlausibility(facts: PlausibilityFacts): Warning[] {
	return [
		...checkName(facts),
		...checkOwnNumber(facts),
		...checkFreeCredit(facts),
		...checkReturnedTax(facts),
		...checkPaymentForms(facts),
		...checkReference(facts),
	];
}

function checkName({ plan, buyer, scoreName }: PlausibilityFacts): Warning[] {
	const name = plan.buyer?.name;
	if (!buyer || name === undefined || !WITH_NAMED_BUYER.includes(plan.type)) return [];
	if (scoreName(buyer, name) >= SCORE_MIN) return [];
	const registryName = buyer.name;
	return [
		{
			code: "customer-name-differs",
			pointer: "/customer/name",
			detail: `The registry's name of ${buyer.rnc} is ${registryName}.`,
			detailEs: `En el registro de contribuyentes, ${buyer.rnc} es ${registryName}.`,
			registryName,
		},
	];
}

function checkOwnNumber({ plan, issuerRnc }: PlausibilityFacts): Warning[] {
	if (plan.buyer?.rnc !== issuerRnc || !isBuyerListed(plan)) return [];
	return [
		{
			code: "customer-is-issuer",
			pointer: "/customer/rnc",
			detail: "The customer is the issuer itself.",
			detailEs: "El comprador es el propio emisor.",
		},
	];
}

function checkFreeCredit({ plan }: PlausibilityFacts): Warning[] {
	if (plan.payment.terms !== FREE || !profileOf(plan.type).isFiscalCredit) return [];
	return [
		{
			code: "free-fiscal-credit",
			pointer: "/payment/terms",
			detail: "A free delivery gives its customer no fiscal credit.",
			detailEs: "Una entrega gratuita no da crédito fiscal al comprador.",
		},
	];
}

function checkReturnedTax({ plan }: PlausibilityFacts): Warning[] {
	if (!plan.isLateCreditNote || Decimal.of(plan.totals.itbis ?? "0").isZero()) return [];
	return [
		{
			code: "itbis-not-returned",
			pointer: "/totals/tax",
			detail: "The modified document is more than 30 days older, so the note does not give its ITBIS back.",
			detailEs: "El comprobante modificado tiene más de 30 días, por lo que la nota no devuelve su ITBIS.",
		},
	];
}

/** What is withheld is not paid, and what is not billed may be, so a payment without the one or with the other is right too. */
function checkPaymentForms({ plan }: PlausibilityFacts): Warning[] {
	const { forms, terms } = plan.payment;
	if (forms.length === 0 || terms === FREE) return [];
	const paid = Decimal.sum(forms.map(({ amount }) => Decimal.of(amount)));
	const { total, withheld } = plan.totals;
	const { payable = total, nonBillable = "0" } = plan.balance;
	const due = Decimal.of(payable);
	const most = due.plus(Decimal.of(nonBillable));
	const net = due.minus(Decimal.of(withheld?.itbis ?? "0")).minus(Decimal.of(withheld?.isr ?? "0"));
	const fits = terms === CREDIT ? paid.compare(most) <= 0 : [due, net, most].some((sum) => paid.equals(sum));
	if (fits) return [];
	const expected = due.toFixed(2);
	const [atMost, aLoSumo] = terms === CREDIT ? [" at most", " a lo sumo"] : ["", ""];
	return [
		{
			code: "payment-forms-differ",
			pointer: "/payment/forms",
			detail: `The payment forms add up to ${paid.toFixed(2)}; the amount due is${atMost} ${expected}.`,
			detailEs: `Las formas de pago suman ${paid.toFixed(2)}; el monto a pagar es${aLoSumo} ${expected}.`,
			expected,
		},
	];
}

/** Code 4 replaces paper; an electronic number there breaks another rule. */
function checkReference({ plan, invoice, issuerRnc, isOriginalMissing }: PlausibilityFacts): Warning[] {
	const { encf, code } = plan.reference ?? {};
	if (!isOriginalMissing || !encf?.startsWith("E") || code === REPLACES) return [];
	if (findOtherIssuer(invoice, issuerRnc) !== undefined) return [];
	return [
		{
			code: "reference-unknown-here",
			pointer: "/reference/encf",
			detail: `${encf} was not issued here, so the reference is not checked. Name its issuer if it is not yours.`,
			detailEs: `${encf} no fue emitido aquí, por lo que la referencia no se verifica. Indique su emisor si no es suyo.`,
		},
	];
}
