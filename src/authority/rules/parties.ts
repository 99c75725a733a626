/** Issuer, buyer, number and payment. Source: the authority's e-CF format, section A, and its services' answers. */
import { carries, ECF_TYPES, type EcfPlan, needsSequenceExpiry, profileOf, typesWhere } from "../../ecf/mapping";
import { Decimal, hasCheckDigit, toLocalIsoDate } from "../../platform/values";
import { typeOfReference } from "./references";
import { type BusinessRule, breachIf, NONE } from "./rule";

/** A consumer invoice from this total on names its buyer, and so does a note on it. Units: RD$. */
const NAMED_BUYER_FROM = Decimal.of("250000.00");
const GIFT_VOUCHER = "5";
/** Consumer invoices, electronic and on paper. */
const CONSUMER_INVOICE = /^(E32|B02)/;

const ACTIVE = "ACTIVO";
/** Statuses of taxpayers that cannot issue. A suspended one may be active again by the time its document arrives. */
const ENDED: readonly string[] = ["ANULADO", "DADO DE BAJA", "RECHAZADO"];
const PERSONS_DIGITS = 11;

/**
 * False for parties that need not be taxpayers: sellers of a purchase record, persons who buy as consumers, and those of the notes on either.
 * Foreign buyers have no number.
 */
export function isBuyerListed({ type, buyer, reference }: EcfPlan): boolean {
	const { isNote } = profileOf(type);
	const about = (isNote ? typeOfReference(reference?.encf ?? "") : undefined) ?? type;
	const { isPurchase, isConsumer } = profileOf(about);
	return !isPurchase && !(isConsumer && buyer?.rnc?.length === PERSONS_DIGITS);
}

export const PARTY_RULES: readonly BusinessRule[] = [
	{
		code: "number-not-authorised",
		number: "135",
		types: ECF_TYPES,
		verdict: "rejected",
		message: {
			en: "No registered range of the issuer has the number {encf}.",
			es: "El e-NCF {encf} no está en ningún rango registrado del emisor.",
		},
		// For a summary, code 75 makes the acceptance conditional.
		check: ({ plan, isOutsideRanges }) => breachIf(isOutsideRanges === true, "/encf", { encf: plan.encf }),
	},
	{
		code: "sequence-expired",
		number: "135",
		types: ECF_TYPES.filter(needsSequenceExpiry),
		verdict: "rejected",
		isInSummary: true,
		message: {
			en: "The sequence of the number expired on {expiry}.",
			es: "La secuencia del e-NCF venció el {expiry}.",
		},
		check: ({ plan, issuersDay = toLocalIsoDate(new Date(plan.signedAt)) }) => {
			const expiry = plan.sequenceExpiresOn;
			if (expiry === undefined) return NONE;
			return breachIf(expiry < issuersDay, "/encf", { expiry });
		},
	},
	{
		code: "issuer-inactive",
		types: ECF_TYPES,
		verdict: "rejected",
		isInSummary: true,
		message: {
			en: "The registry lists the issuer as {status}.",
			es: "El emisor figura como {status} en el registro de contribuyentes.",
		},
		check: ({ registry }) => {
			const status = registry?.issuer ?? ACTIVE;
			if (status === ACTIVE) return NONE;
			const isUncertain = registry?.isStale === true || !ENDED.includes(status);
			return [{ pointer: "/company/rnc", values: { status }, isUncertain }];
		},
	},
	{
		code: "customer-unknown",
		number: "1385",
		types: ECF_TYPES,
		verdict: "conditional",
		isInSummary: true,
		message: {
			en: "The registry has no entry for the customer.",
			es: "El campo RNCComprador del área Comprador de la sección Encabezado no es válido: no figura en el registro.",
		},
		check: ({ plan, registry }) =>
			breachIf(isBuyerListed(plan) && plan.buyer?.rnc !== undefined && registry?.buyer === null, "/customer/rnc"),
	},
	{
		code: "customer-inactive",
		types: ECF_TYPES,
		verdict: "conditional",
		isInSummary: true,
		message: {
			en: "The registry lists the customer as {status}.",
			es: "El comprador figura como {status} en el registro de contribuyentes.",
		},
		check: ({ plan, registry }) => {
			const status = registry?.buyer ?? ACTIVE;
			return breachIf(status !== ACTIVE && isBuyerListed(plan), "/customer/rnc", { status });
		},
	},
	{
		code: "customer-check-digit",
		number: "1385",
		types: ECF_TYPES,
		verdict: "conditional",
		isInSummary: true,
		message: {
			en: "The last digit of the customer's number is not the check digit of the others, and no registry is loaded to look it up.",
			es: "El campo RNCComprador del área Comprador de la sección Encabezado no es válido: su dígito verificador no corresponde.",
		},
		check: ({ plan, registry }) => {
			const rnc = plan.buyer?.rnc;
			const isUnlisted = registry === undefined && rnc !== undefined && !hasCheckDigit(rnc);
			return breachIf(isUnlisted && isBuyerListed(plan), "/customer/rnc");
		},
	},
	{
		code: "buyer-missing",
		types: typesWhere(({ isNote }) => isNote),
		verdict: "rejected",
		isInSummary: true,
		message: {
			en: "A note on a consumer invoice of RD$250,000.00 or more names its buyer, with number and name.",
			es: "Los campos RNCComprador y RazonSocialComprador del área Comprador de la sección Encabezado no son válidos: la factura de consumo modificada es de RD$250,000.00 o más.",
		},
		check: ({ plan, original }) => {
			const { rnc = plan.buyer?.foreignId, name } = plan.buyer ?? {};
			const isNamed = rnc !== undefined && name !== undefined;
			if (isNamed || !CONSUMER_INVOICE.test(plan.reference?.encf ?? "")) return NONE;
			// The original is at least as large as its credit note. For a debit note this is a guess.
			const total = Decimal.of(original?.total ?? plan.totals.total);
			return breachIf(total.compare(NAMED_BUYER_FROM) >= 0, rnc === undefined ? "/customer/rnc" : "/customer/name");
		},
	},
	{
		code: "payment-form-not-for-type",
		types: ECF_TYPES.filter((type) => carries(type, "TablaFormasPago") && !profileOf(type).isConsumer),
		verdict: "rejected",
		isInSummary: true,
		message: {
			en: "Gift vouchers (5) can only pay consumer invoices.",
			es: "El campo FormaPago del área IdDoc de la sección Encabezado no es válido: los bonos (5) solo aplican a facturas de consumo.",
		},
		check: ({ plan }) =>
			plan.payment.forms.flatMap(({ method }, index) =>
				breachIf(method === GIFT_VOUCHER, `/payment/forms/${index}/method`),
			),
	},
];
