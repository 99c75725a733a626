/**
 * Checks that a note fits the document that it modifies. If that document was issued here, everything is known; otherwise only its number.
 * Source: the authority's e-CF format, section F, and its services' answers.
 */
import {
	ECF_TYPES,
	type EcfPlan,
	type EcfType,
	findProfile,
	profileOf,
	typeOfNumber,
	typesWhere,
} from "../../ecf/mapping";
import { Decimal } from "../../platform/values";
import { type BusinessRule, breachIf, NONE } from "./rule";

const NOTES = typesWhere(({ isNote }) => isNote);
const DEBIT_NOTES = typesWhere(({ isNote, sign }) => isNote && sign === 1);
const CREDIT_NOTES = typesWhere(({ isNote, sign }) => isNote && sign === -1);
/** Series B, series E, series A and P. */
const NUMBER_LENGTHS: readonly number[] = [11, 13, 19];
const CANCELS = "1";
const CORRECTS_TEXT = "2";
const REPLACES = "4";
const NAMES_CONSUMER_INVOICE = "5";

export const REFERENCE_RULES: readonly BusinessRule[] = [
	{
		code: "reference-missing",
		number: "64",
		types: NOTES,
		verdict: "rejected",
		message: {
			en: "The authority rejects a note that corrects nothing.",
			es: "El campo NCFModificado del área InformacionReferencia de la sección InformacionReferencia no es válido: la nota no indica qué modifica.",
		},
		check: ({ plan }) => breachIf(plan.reference === undefined, "/reference"),
	},
	{
		code: "reference-debit-cancels",
		number: "64",
		types: DEBIT_NOTES,
		verdict: "rejected",
		message: {
			en: "A debit note cannot cancel a document (code 1); code 3 corrects amounts.",
			es: "Una nota de débito no puede anular un comprobante (código 1); para corregir montos use el código 3.",
		},
		check: ({ plan }) => breachIf(plan.reference?.code === CANCELS, "/reference/code"),
	},
	{
		code: "reference-to-note",
		types: NOTES,
		verdict: "rejected",
		message: {
			en: "{encf} is itself a note; a note modifies an invoice.",
			es: "{encf} es una nota; una nota solo puede modificar una factura.",
		},
		check: ({ plan }) => {
			const { encf = "" } = plan.reference ?? {};
			return breachIf(findProfile(typeOfNumber(encf))?.isNote === true, "/reference/encf", { encf });
		},
	},
	{
		code: "reference-annulled",
		types: NOTES,
		verdict: "rejected",
		message: {
			en: "An accepted credit note with code 1 has cancelled the modified document.",
			es: "Una nota de crédito aceptada con código 1 ya anuló el comprobante modificado.",
		},
		check: ({ original }) => breachIf(original?.isAnnulled === true, "/reference/encf"),
	},
	{
		code: "reference-length",
		types: ECF_TYPES,
		verdict: "rejected",
		message: {
			en: "A fiscal number has 11, 13 or 19 characters, this one {length}.",
			es: "El campo NCFModificado del área InformacionReferencia no es válido: tiene {length} caracteres y no 11, 13 o 19.",
		},
		check: ({ plan }) => {
			const length = plan.reference?.encf.length;
			if (length === undefined) return NONE;
			return breachIf(!NUMBER_LENGTHS.includes(length), "/reference/encf", { length: String(length) });
		},
	},
	{
		code: "reference-code-not-for-type",
		types: NOTES,
		verdict: "rejected",
		message: {
			en: "Code 5 refers to a consumer invoice from a fiscal-credit invoice; a note cannot have it.",
			es: "El campo CodigoModificacion del área InformacionReferencia no es válido: el código 5 solo aplica al tipo 31.",
		},
		check: ({ plan }) => breachIf(plan.reference?.code === NAMES_CONSUMER_INVOICE, "/reference/code"),
	},
	{
		code: "reference-not-consumer-invoice",
		types: typesWhere(({ isFiscalCredit }) => isFiscalCredit),
		verdict: "rejected",
		message: {
			en: "Code 5 refers to a consumer invoice; {encf} is of another type.",
			es: "El campo NCFModificado del área InformacionReferencia no es válido: el código 5 se refiere a una factura de consumo y {encf} no lo es.",
		},
		check: ({ plan }) => {
			const { code, encf = "" } = plan.reference ?? {};
			const isConsumerInvoice = findProfile(typeOfReference(encf))?.isConsumer === true;
			return breachIf(code === NAMES_CONSUMER_INVOICE && !isConsumerInvoice, "/reference/encf", { encf });
		},
	},
	{
		code: "reference-replaces-electronic",
		number: "613",
		types: ECF_TYPES,
		verdict: "rejected",
		message: {
			en: "Code 4 replaces a paper document of a contingency; electronic documents cannot replace each other.",
			es: "Los comprobantes electrónicos no pueden reemplazarse entre sí.",
		},
		check: ({ plan }) => {
			const { code, encf = "" } = plan.reference ?? {};
			return breachIf(code === REPLACES && encf.startsWith("E"), "/reference/code");
		},
	},
	{
		code: "reference-replaces-other-type",
		types: ECF_TYPES,
		verdict: "rejected",
		message: {
			en: "Code 4 replaces a paper document of the equivalent type; {encf} is of another.",
			es: "El tipo del comprobante {encf} no es el equivalente del e-CF que lo reemplaza.",
		},
		check: ({ plan }) => {
			const { code, encf = "" } = plan.reference ?? {};
			const series = paperSeriesOf(encf);
			if (code !== REPLACES || series === undefined) return NONE;
			return breachIf(series !== profileOf(plan.type).paperSeries, "/reference/encf", { encf });
		},
	},
	{
		code: "reference-not-accepted",
		number: "614",
		types: NOTES,
		verdict: "rejected",
		message: {
			en: "The modified document is {status}; the authority has not accepted it.",
			es: "El e-NCF modificado no ha sido emitido: su estado aquí es {status}.",
		},
		check: ({ original }) => {
			const status = original?.status ?? "accepted";
			// A pending document may still be accepted, so the note waits for it.
			return breachIf(status === "rejected" || status === "failed", "/reference/encf", { status });
		},
	},
	{
		code: "reference-date",
		number: "634",
		types: NOTES,
		verdict: "rejected",
		message: {
			en: "The modified document was issued on {expected}.",
			es: "El campo FechaNCFModificado del área InformacionReferencia no es válido: el comprobante modificado es del {expected}.",
		},
		check: ({ plan, original }) => {
			if (!plan.reference || !original) return NONE;
			const expected = original.issueDate;
			return breachIf(plan.reference.issueDate !== expected, "/reference/issue_date", { expected });
		},
	},
	{
		code: "reference-buyer",
		number: "615",
		types: NOTES,
		verdict: "rejected",
		message: {
			en: "The buyer differs from the buyer of the modified document.",
			es: "El comprador no es el del comprobante modificado.",
		},
		check: ({ plan, original }) => {
			if (!original) return NONE;
			const { buyerRnc, foreignBuyer } = original;
			const { rnc, foreignId } = plan.buyer ?? {};
			if (buyerRnc === rnc && foreignBuyer === foreignId) return NONE;
			const isAbroad = foreignBuyer !== undefined;
			// A buyer has one of the two numbers, so a value helps only where the other number is absent.
			const expected = isAbroad ? rnc === undefined && foreignBuyer : foreignId === undefined && buyerRnc;
			const pointer = isAbroad ? "/customer/foreign_id" : "/customer/rnc";
			return [{ pointer, ...(expected ? { values: { expected } } : {}) }];
		},
	},
	{
		code: "reference-balance",
		number: "615",
		types: CREDIT_NOTES,
		verdict: "rejected",
		message: {
			en: "The credit note is more than the {balance} that the modified document has left.",
			es: "El monto excede el balance disponible del comprobante modificado, {balance}.",
		},
		check: ({ plan, original }) => {
			if (!original) return NONE;
			const { balance } = original;
			const values = { balance, expected: balance };
			return breachIf(totalOf(plan).compare(Decimal.of(balance)) > 0, "/totals/grand_total", values);
		},
	},
	{
		code: "reference-cancels-part",
		number: "615",
		types: CREDIT_NOTES,
		verdict: "rejected",
		message: {
			en: "Code 1 cancels the whole of the {balance} that the modified document has left; code 3 corrects amounts.",
			es: "El código 1 anula el balance completo del comprobante modificado, {balance}; para corregir montos use el código 3.",
		},
		check: ({ plan, original }) => {
			if (plan.reference?.code !== CANCELS || !original) return NONE;
			const { balance } = original;
			return breachIf(totalOf(plan).compare(Decimal.of(balance)) < 0, "/reference/code", { balance });
		},
	},
	{
		code: "text-correction-amount",
		types: NOTES,
		verdict: "rejected",
		message: {
			en: "Code 2 corrects text: every amount is 0.",
			es: "El código 2 corrige textos: todos los montos deben ser 0.",
		},
		check: ({ plan }) => {
			if (plan.reference?.code !== CORRECTS_TEXT) return NONE;
			const lines = plan.lines.flatMap(({ amount }, index) =>
				breachIf(!Decimal.of(amount).isZero(), `/lines/${index}/subtotal`),
			);
			return [...lines, ...breachIf(!totalOf(plan).isZero(), "/totals/grand_total")];
		},
	},
];

function totalOf(plan: EcfPlan): Decimal {
	return Decimal.of(plan.totals.total);
}

/** The type of a document by its number, also of a paper document by the equivalent type. Undefined for other numbers. */
export function typeOfReference(number: string): EcfType | undefined {
	const series = paperSeriesOf(number);
	const ofPaper = series === undefined ? undefined : typesWhere(({ paperSeries }) => paperSeries === series)[0];
	return typeOfNumber(number) ?? ofPaper;
}

/** The two digits of the series in a paper number: B01… of 11 characters, A and P numbers of 19. */
function paperSeriesOf(number: string): string | undefined {
	if (number.startsWith("B") && number.length === 11) return number.slice(1, 3);
	return /^[AP]/.test(number) && number.length === 19 ? number.slice(9, 11) : undefined;
}
