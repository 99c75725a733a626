/** For each business rule, facts on the good side of its boundary and the nearest on the bad side. */
import type { OriginalDocument, RuleFacts } from "../../../../src/authority/rules/rule";
import { type EcfInvoice, type EcfLine, planEcf } from "../../../../src/ecf/mapping";
import { buildInvoice, buildLine, toInput } from "../../../ecf/signing/samples";

export const ACTIVE = { issuer: "ACTIVO", buyer: "ACTIVO" };
export const BUYER = { rnc: "990000002", name: "CONSTRUCTORA LOS ROBLES SRL" };
const REFERENCE = { encf: "E310000000009", issue_date: "2026-11-10", code: 3 };
export const ORIGINAL: OriginalDocument = {
	status: "accepted",
	issueDate: "2026-11-10",
	buyerRnc: BUYER.rnc,
	total: "500.00",
	balance: "118.00",
	isAnnulled: false,
};

export function facts(changes: Partial<EcfInvoice> = {}, others: Partial<RuleFacts> = {}): RuleFacts {
	return { plan: planEcf(toInput(buildInvoice(changes))), registry: ACTIVE, ...others };
}
/** A credit note of 118.00 on a document of 500.00 with 118.00 left, unless changed. */
function note(changes: Partial<EcfInvoice> = {}, original: Partial<OriginalDocument> = {}): RuleFacts {
	return facts({ type: "34", reference: REFERENCE, ...changes }, { original: { ...ORIGINAL, ...original } });
}
const referring = (reference: Partial<typeof REFERENCE>, type = "34") =>
	facts({ type, reference: { ...REFERENCE, ...reference } });
/** A document with these lines and matching totals. */
export function withLines(lines: readonly EcfLine[], tax: string, changes: Partial<EcfInvoice> = {}): RuleFacts {
	const cents = (text: string) => Math.round(Number(text) * 100);
	const money = (value: number) => (value / 100).toFixed(2);
	const subtotal = lines.reduce((sum, line) => sum + cents(line.subtotal), 0);
	const totals = { subtotal: money(subtotal), tax, grand_total: money(subtotal + cents(tax)) };
	return facts({ lines: lines.map((line, index) => ({ ...line, line_number: index + 1 })), totals, ...changes });
}
const oneLine = (line: Partial<EcfLine>, tax: string, changes: Partial<EcfInvoice> = {}) =>
	withLines([buildLine(line)], tax, changes);
export const taxed = (code: string, amount: string, rate?: string) =>
	oneLine(
		{ tax_rate: "18", additional_taxes: [{ code, amount, ...(rate ? { rate } : {}) }] },
		Number(code) <= 5 ? (18 + Number(amount)).toFixed(2) : (18 + Number(amount) * 1.18).toFixed(2),
	);
const withTip = (amount: string) =>
	oneLine({ tax_rate: "18" }, (18 + Number(amount)).toFixed(2), { legal_tip: amount });
/** Facts with header sums that the mapping would never produce. */
function withGroup({ plan, ...others }: RuleFacts, base: string, itbis: string): RuleFacts {
	const groups = plan.totals.groups.map((group) => ({ ...group, base, itbis }));
	const exempt = plan.totals.exemptBase === undefined ? {} : { exemptBase: base };
	return { ...others, plan: { ...plan, totals: { ...plan.totals, ...exempt, groups } } };
}
/** 100.00 with a withholding, and 100.00 with excise of 10.00. */
const besideExcise = (itbis: string) =>
	withLines(
		[
			buildLine({ tax_rate: "18", withholding: { itbis, isr: "0" } }),
			buildLine({ tax_rate: "18", additional_taxes: [{ code: "023", amount: "10.00" }] }),
		],
		"47.80",
	);
const UNKNOWN_BUYER = { issuer: "ACTIVO", buyer: null };
const PERSON = { customer: { rnc: "00100000009", name: "JUANA PEREZ" } };
const ON_CONSUMER = { ...REFERENCE, encf: "E320000000001" };
const exemptLine = oneLine({ tax_rate: "exempt" }, "0");

export type Border = {
	readonly pointer: string;
	readonly number?: string;
	/** Facts on the good side of the boundary, and the nearest on the bad side. */
	readonly keeps: readonly RuleFacts[];
	readonly breaks: readonly RuleFacts[];
};

const large = { totals: { subtotal: "250000", tax: "0", grand_total: "250000" } };
const largeLine = { lines: [buildLine({ unit_price: "250000", subtotal: "250000", tax_rate: "exempt" })] };
const almost = { totals: { subtotal: "249999.99", tax: "0", grand_total: "249999.99" } };
const almostLine = { lines: [buildLine({ unit_price: "249999.99", subtotal: "249999.99", tax_rate: "exempt" })] };
export const onConsumer = { type: "33", customer: undefined, reference: { ...REFERENCE, encf: "E320000000001" } };
export const forms = (method: number) => ({ terms: "cash", forms: [{ method, amount: "118.00" }] });
const zero = {
	lines: [buildLine({ unit_price: "0", subtotal: "0" })],
	totals: { subtotal: "0", tax: "0", grand_total: "0" },
};
const expiring = (day: string): RuleFacts => ({
	plan: planEcf({ ...toInput(buildInvoice()), sequenceExpiresOn: day }),
	registry: ACTIVE,
});
const tip = [{ code: "001", amount: "10.00" }];
/** Lines of 100.00, with 10.00 of other taxes where present, and 2.00 deducted from the whole document. */
function adjusted(adjustment: { amount?: string; percent?: string }, lines: readonly EcfLine[]): RuleFacts {
	const tax = 10 * lines.filter((line) => line.additional_taxes).length;
	const totals = { subtotal: "198.00", tax: `${tax}.00`, grand_total: `${198 + tax}.00` };
	return facts({ lines, totals, adjustments: [{ kind: "discount", description: "x", ...adjustment }] });
}

export const BORDERS: Readonly<Record<string, Border>> = {
	"sequence-expired": {
		pointer: "/encf",
		number: "135",
		keeps: [expiring("2026-11-20")],
		breaks: [expiring("2026-11-19")],
	},
	"number-not-authorised": {
		pointer: "/encf",
		number: "135",
		keeps: [facts(), facts({}, { isOutsideRanges: false })],
		breaks: [facts({}, { isOutsideRanges: true })],
	},
	"issuer-inactive": {
		pointer: "/company/rnc",
		keeps: [facts(), facts({}, { registry: { issuer: null, buyer: "ACTIVO" } })],
		breaks: ["ANULADO", "DADO DE BAJA", "RECHAZADO"].map((issuer) =>
			facts({}, { registry: { issuer, buyer: "ACTIVO" } }),
		),
	},
	"customer-unknown": {
		pointer: "/customer/rnc",
		number: "1385",
		keeps: [
			facts(),
			facts({ type: "32", customer: { name: "X" } }, { registry: UNKNOWN_BUYER }),
			facts({ type: "41" }, { registry: UNKNOWN_BUYER }),
			facts({ ...PERSON, type: "32" }, { registry: UNKNOWN_BUYER }),
			facts({ ...PERSON, type: "34", reference: ON_CONSUMER }, { registry: UNKNOWN_BUYER }),
			facts({ type: "33", reference: { ...REFERENCE, encf: "E410000000001" } }, { registry: UNKNOWN_BUYER }),
		],
		breaks: [
			facts({}, { registry: UNKNOWN_BUYER }),
			facts(PERSON, { registry: UNKNOWN_BUYER }),
			facts({ type: "32" }, { registry: UNKNOWN_BUYER }),
			facts({ type: "34", reference: ON_CONSUMER }, { registry: UNKNOWN_BUYER }),
		],
	},
	"customer-inactive": {
		pointer: "/customer/rnc",
		keeps: [
			facts(),
			facts({ type: "41" }, { registry: { issuer: "ACTIVO", buyer: "ANULADO" } }),
			facts({ ...PERSON, type: "32" }, { registry: { issuer: "ACTIVO", buyer: "ANULADO" } }),
		],
		breaks: [facts({}, { registry: { issuer: "ACTIVO", buyer: "ANULADO" } })],
	},
	"customer-check-digit": {
		pointer: "/customer/rnc",
		number: "1385",
		keeps: [
			{ plan: facts({ customer: { rnc: "990000001", name: "X" } }).plan },
			facts({ customer: { rnc: "990000002", name: "X" } }),
		],
		breaks: [{ plan: facts({ customer: { rnc: "990000002", name: "X" } }).plan }],
	},
	"buyer-missing": {
		pointer: "/customer/rnc",
		keeps: [
			facts({ ...onConsumer, ...almost, ...almostLine }),
			facts({ ...onConsumer, ...large, ...largeLine, customer: BUYER }),
			facts({ ...onConsumer, ...large, ...largeLine }, { original: { ...ORIGINAL, total: "249999.99" } }),
		],
		breaks: [
			facts({ ...onConsumer, ...large, ...largeLine }),
			facts(onConsumer, { original: { ...ORIGINAL, total: "250000.00" } }),
		],
	},
	"payment-form-not-for-type": {
		pointer: "/payment/forms/0/method",
		keeps: [facts({ payment: forms(4) }), facts({ type: "32", payment: forms(5) })],
		breaks: [facts({ payment: forms(5) })],
	},
	"reference-missing": {
		pointer: "/reference",
		number: "64",
		keeps: [note(), facts()],
		breaks: [facts({ type: "34" }), facts({ type: "33" })],
	},
	"reference-debit-cancels": {
		pointer: "/reference/code",
		number: "64",
		keeps: [note({ type: "33" }), note({ reference: { ...REFERENCE, code: 1 } })],
		breaks: [note({ type: "33", reference: { ...REFERENCE, code: 1 } })],
	},
	"reference-to-note": {
		pointer: "/reference/encf",
		keeps: [note(), referring({ encf: "E320000000001" }), referring({ encf: "B0400000001" })],
		breaks: [referring({ encf: "E330000000001" }), referring({ encf: "E340000000001" }, "33")],
	},
	"reference-annulled": {
		pointer: "/reference/encf",
		keeps: [note()],
		breaks: [note({}, { isAnnulled: true }), note({ type: "33" }, { isAnnulled: true })],
	},
	"reference-length": {
		pointer: "/reference/encf",
		keeps: [
			referring({ encf: "B0100000001" }),
			referring({ encf: "E310000000001" }),
			referring({ encf: "A010010010100000001" }),
		],
		breaks: [
			referring({ encf: "E31000000001" }),
			referring({ encf: "E3100000000010" }),
			referring({ encf: "A01001001010000001" }),
		],
	},
	"reference-code-not-for-type": {
		pointer: "/reference/code",
		keeps: [referring({ code: 4, encf: "B0400000001" }), referring({ code: 5, encf: "E320000000001" }, "31")],
		breaks: [referring({ code: 5 })],
	},
	"reference-not-consumer-invoice": {
		pointer: "/reference/encf",
		keeps: [
			referring({ code: 5, encf: "E320000000001" }, "31"),
			referring({ code: 5, encf: "B0200000001" }, "31"),
			referring({ code: 5, encf: "A010010010200000001" }, "31"),
			referring({ code: 3, encf: "E310000000001" }),
		],
		breaks: [
			referring({ code: 5, encf: "E310000000001" }, "31"),
			referring({ code: 5, encf: "B0100000001" }, "31"),
			referring({ code: 5, encf: "P010010010100000001" }, "31"),
		],
	},
	"reference-replaces-electronic": {
		pointer: "/reference/code",
		number: "613",
		keeps: [referring({ code: 3 }), referring({ code: 4, encf: "B0400000001" })],
		breaks: [referring({ code: 4 })],
	},
	"reference-replaces-other-type": {
		pointer: "/reference/encf",
		keeps: [
			referring({ code: 4, encf: "B0400000001" }),
			referring({ code: 4, encf: "A010010010400000001" }),
			referring({ code: 4, encf: "B1100000001" }, "41"),
			referring({ code: 3, encf: "B0100000001" }),
		],
		breaks: [referring({ code: 4, encf: "B0300000001" }), referring({ code: 4, encf: "P010010010300000001" })],
	},
	"reference-not-accepted": {
		pointer: "/reference/encf",
		number: "614",
		keeps: [note(), note({}, { status: "pending" }), referring({})],
		breaks: [note({}, { status: "rejected" }), note({}, { status: "failed" })],
	},
	"reference-date": {
		pointer: "/reference/issue_date",
		number: "634",
		keeps: [note()],
		breaks: [note({}, { issueDate: "2026-11-09" }), note({}, { issueDate: "2026-11-11" })],
	},
	"reference-buyer": {
		pointer: "/customer/rnc",
		number: "615",
		keeps: [note({ customer: { rnc: "9-90-00000-2", name: "OTRO NOMBRE" } })],
		breaks: [note({ customer: { rnc: "990000003", name: "X" } }), note({ customer: undefined })],
	},
	"reference-balance": {
		pointer: "/totals/grand_total",
		number: "615",
		keeps: [note({}, { balance: "118.00" }), note({ type: "33" }, { balance: "0.00" })],
		breaks: [note({}, { balance: "117.99" })],
	},
	"reference-cancels-part": {
		pointer: "/reference/code",
		number: "615",
		keeps: [
			note({ reference: { ...REFERENCE, code: 1 } }, { balance: "118.00" }),
			note({ reference: { ...REFERENCE, code: 3 } }, { balance: "118.01" }),
		],
		breaks: [note({ reference: { ...REFERENCE, code: 1 } }, { balance: "118.01" })],
	},
	"text-correction-amount": {
		pointer: "/lines/0/subtotal",
		keeps: [note({ reference: { ...REFERENCE, code: 2 }, ...zero }), note()],
		breaks: [note({ reference: { ...REFERENCE, code: 2 } })],
	},
	"line-product": {
		pointer: "/lines/0/subtotal",
		keeps: [
			oneLine({ subtotal: "101.00" }, "18.18"),
			oneLine({ subtotal: "99.00" }, "17.82"),
			oneLine({ discount: "50", surcharge: "20", subtotal: "71.00" }, "12.78"),
		],
		breaks: [
			oneLine({ subtotal: "101.01" }, "18.18"),
			oneLine({ subtotal: "98.99" }, "17.82"),
			oneLine({ discount: "50", surcharge: "20", subtotal: "71.01" }, "12.78"),
		],
	},
	"base-18-differs": {
		pointer: "/totals",
		number: "1934",
		keeps: [withGroup(facts(), "101.00", "18.00"), withGroup(facts(), "99.00", "18.00")],
		breaks: [withGroup(facts(), "101.01", "18.00"), withGroup(facts(), "98.99", "18.00")],
	},
	"base-differs": {
		pointer: "/totals",
		keeps: [withGroup(exemptLine, "101.00", "0.00")],
		breaks: [withGroup(exemptLine, "101.01", "0.00")],
	},
	"itbis-differs": {
		pointer: "/totals/tax",
		keeps: [withGroup(facts(), "100.00", "19.00"), withGroup(facts(), "100.00", "17.00")],
		breaks: [withGroup(facts(), "100.00", "19.01"), withGroup(facts(), "100.00", "16.99")],
	},
	"withheld-itbis-differs": {
		pointer: "/lines/0/withholding/itbis",
		number: "260",
		keeps: [
			oneLine({ withholding: { itbis: "18.00", isr: "0" } }, "18.00", { type: "41" }),
			oneLine({ tax_rate: "exempt", withholding: { itbis: "0", isr: "10" } }, "0", { type: "41" }),
			besideExcise("18.00"),
			oneLine(
				{
					...{ tax_rate: "18", withholding: { itbis: "19.80", isr: "0" } },
					additional_taxes: [{ code: "023", amount: "10.00" }],
				},
				"29.80",
			),
		],
		breaks: [
			oneLine({ withholding: { itbis: "18.01", isr: "0" } }, "18.00", { type: "41" }),
			oneLine({ tax_rate: "exempt", withholding: { itbis: "0.01", isr: "0" } }, "0", { type: "41" }),
			besideExcise("18.01"),
		],
	},
	"adjustment-percent-required": {
		pointer: "/adjustments",
		keeps: [
			adjusted({ percent: "1" }, [buildLine({ additional_taxes: tip }), buildLine()]),
			adjusted({ amount: "2" }, [buildLine({ additional_taxes: tip }), buildLine({ additional_taxes: tip })]),
		],
		breaks: [adjusted({ amount: "2" }, [buildLine({ additional_taxes: tip }), buildLine()])],
	},
	"subquantity-missing": {
		pointer: "/lines/0/additional_taxes",
		number: "2150",
		keeps: [taxed("005", "17.00"), taxed("019", "1.00", "1")],
		breaks: [taxed("006", "1.00", "1"), taxed("018", "1.00", "1")],
	},
	"reference-quantity-missing": {
		pointer: "/lines/0/additional_taxes",
		keeps: [taxed("018", "1.00", "1"), taxed("023", "10.00")],
		breaks: [taxed("019", "1.00", "1"), taxed("022", "1.00", "1")],
	},
	"retail-price-missing": {
		pointer: "/lines/0/additional_taxes",
		keeps: [taxed("022", "1.00", "1")],
		breaks: [taxed("023", "10.00"), taxed("035", "10.00"), taxed("036", "20.00"), taxed("039", "20.00")],
	},
	"additional-tax-rate-differs": {
		pointer: "/lines/0/additional_taxes/0/rate",
		keeps: [taxed("001", "10.00"), taxed("001", "10.00", "10.00"), taxed("006", "1.00", "632.58")],
		breaks: [taxed("001", "9.99", "9.99"), taxed("023", "9.99", "10.01")],
	},
	"additional-tax-differs": {
		pointer: "/lines/0/additional_taxes/0/amount",
		number: "0",
		keeps: [taxed("001", "11.00"), taxed("001", "9.00"), taxed("005", "99.00")],
		breaks: [taxed("001", "11.01"), taxed("004", "8.99")],
	},
	"tip-differs": {
		pointer: "/legal_tip",
		number: "0",
		keeps: [withTip("11.00"), withTip("9.00"), taxed("001", "11.01")],
		breaks: [withTip("11.01"), withTip("8.99")],
	},
};
