import { type Static, type TSchema, Type } from "@sinclair/typebox";
import { ECF_TYPES } from "../../../ecf/mapping";
import { DECIMAL_PATTERN } from "../../../platform/values";

/** The canonical invoice request: body of `POST /v1/invoices`. Decimals are strings, so that no client rounds them. */

const closed = { additionalProperties: false };
const Amount = (description: string) =>
	Type.String({
		pattern: DECIMAL_PATTERN,
		description,
		faultCode: "decimal-form",
		faultDetail:
			'Send a decimal such as "450.00": at most 16 integer digits and 6 decimals, no sign, exponent or separators.',
	});
const Day = (description: string) =>
	Type.String({
		description,
		pattern: "^\\d{4}-\\d{2}-\\d{2}$",
		faultCode: "invalid-date",
		faultDetail: "Send YYYY-MM-DD.",
	});
const Text = (maxLength: number, description: string) => Type.String({ minLength: 1, maxLength, description });
const EMAIL_FORM = {
	...{ pattern: "^[^@\\s]+@[^@\\s]+$", faultCode: "invalid-email", faultDetail: "Is not an e-mail address." },
};
const OneOf = (values: readonly string[], description: string) =>
	Type.Union(
		values.map((v) => Type.Literal(v)),
		{ description },
	);
const Optional = <T extends TSchema>(schema: T) => Type.Optional(schema);

export const CURRENCIES = "DOP BRL CAD CHF CNY CHY XDR DKK EUR GBP JPY NOK SCP SEK USD VEF HTG MXN COP".split(" ");

const Reference = Type.Object(
	{
		encf: Type.String({
			minLength: 11,
			maxLength: 19,
			pattern: "^[A-Z][A-Z0-9]{10,18}$",
			faultDetail:
				"Send the fiscal number as it is printed: a capital letter, then 10 to 18 digits or capital letters.",
			description: "The document that this note modifies.",
		}),
		issue_date: Day("Its issue date."),
		code: Type.Integer({
			minimum: 1,
			maximum: 5,
			description:
				"1 cancels, 2 corrects text, 3 corrects amounts, 4 replaces a contingency document, 5 refers to a consumer invoice.",
		}),
		reason: Optional(Text(90, "Why.")),
		customer_rnc: Optional(
			Type.String({
				pattern: "^[0-9]{9}([0-9]{2})?$",
				faultDetail: "Send 9 or 11 digits, without hyphens.",
				description: "RNC of a dissolved or merged issuer of the original.",
			}),
		),
	},
	closed,
);

const Adjustment = Type.Object(
	{
		kind: OneOf(["discount", "surcharge"], "Which way it goes."),
		description: Text(1_000, "What it is."),
		amount: Optional(
			Amount(
				"In pesos, like every amount, without ITBIS. Where a percentage stands beside it, it is the amount that counts.",
			),
		),
		percent: Optional(
			Amount(
				"Percentage of the lines of `tax_rate`, or of all, before other adjustments; rounded half up to the cent.",
			),
		),
		tax_rate: Optional(
			OneOf(["18", "16", "0", "exempt"], "The rate whose base it changes; absent: all rates in use, in proportion."),
		),
	},
	closed,
);
const ADJUSTMENTS =
	"Discounts and surcharges on the whole document. They change the base of the tax, so `totals.subtotal` is the lines less discounts plus surcharges and `totals.tax` " +
	"the tax on that: one line of 100.00 at 18 % with a discount of 20 % has the totals 80.00, 14.40, 94.40. Where `totals.subtotal` is the lines alone, `totals.tax` " +
	"may count them instead, as the tax less discounts plus surcharges; totals that count them nowhere leave them out of the e-CF and of print, with the warning `adjustments-not-in-totals`.";

const Line = Type.Object(
	{
		line_number: Type.Integer({ minimum: 1, maximum: 1_000_000, description: "From 1, unique." }),
		description: Text(1_000, "What is sold."),
		quantity: Amount("Above 0."),
		unit_price: Amount("Without tax."),
		subtotal: Amount("Line amount without tax, its discount and surcharge included."),
		tax_rate: Optional(OneOf(["18", "16", "0", "exempt"], "Derived from the totals when absent on every line.")),
		kind: Optional(OneOf(["good", "service"], "Default good.")),
		unit: Optional(
			Type.String({
				pattern: "^([1-9]|[1-5][0-9]|6[0-2])$",
				faultDetail: 'Send a code of the authority\'s unit table, "1" to "62".',
				description: "Code of the authority's unit table, 1 to 62.",
			}),
		),
		item_code: Optional(
			Type.Union([
				Type.Object({ type: Text(14, "Kind of code."), code: Text(35, "The code.") }, closed),
				Type.Array(Type.Object({ type: Text(14, "Kind of code."), code: Text(35, "The code.") }, closed), {
					maxItems: 5,
					minItems: 1,
				}),
			]),
		),
		discount: Optional(Amount("Already inside `subtotal`.")),
		surcharge: Optional(Amount("Already inside `subtotal`.")),
		withholding: Optional(
			Type.Object({ itbis: Amount("ITBIS withheld."), isr: Amount("Income tax withheld.") }, closed),
		),
		additional_taxes: Optional(
			Type.Array(
				Type.Object(
					{
						code: Type.String({
							pattern: "^0(0[1-9]|[12][0-9]|3[0-9])$",
							faultDetail: 'Send a code of the authority\'s table of taxes, "001" to "039".',
							description: "001 to 039.",
						}),
						rate: Optional(Amount("Percentage.")),
						amount: Amount("Amount of the tax."),
					},
					closed,
				),
				{ maxItems: 2 },
			),
		),
	},
	closed,
);

export const InvoiceRequest = Type.Object(
	{
		type: OneOf(ECF_TYPES, "e-CF type."),
		encf: Type.String({
			pattern: "^(auto|E[0-9]{2}[0-9]{8,10})$",
			faultCode: "encf-form",
			faultDetail: "Send E, the type and 10 digits.",
			description:
				'Number of the document, or `auto` for the next number of the registered sequences (company setting `sequenceMode: "service"`).',
		}),
		client_request_id: Optional(
			Type.String({
				minLength: 8,
				maxLength: 64,
				pattern: "^[^\\u0000-\\u001f\\u007f-\\u009f]*$",
				faultDetail: "Holds a control character.",
				description: "Your own id of the request; protects for ever, beside the header.",
			}),
		),
		company: Type.Object({ rnc: Text(20, "The issuer's RNC."), name: Text(150, "The issuer's name.") }, closed),
		customer: Optional(
			Type.Object(
				{ rnc: Optional(Text(20, "The buyer's RNC or Cédula.")), name: Optional(Text(150, "The buyer's name.")) },
				closed,
			),
		),
		lines: Type.Array(Line, { minItems: 1, maxItems: 10_000 }),
		totals: Type.Object(
			{
				subtotal: Amount("Sum of the lines, less discounts and plus surcharges of `adjustments`; may be 0.01 off."),
				tax: Amount("Total tax: ITBIS and the lines' additional taxes."),
				grand_total: Amount("subtotal + tax, exactly."),
			},
			closed,
		),
		issue_date: Optional(Day("Default today (UTC-4); not after it.")),
		due_date: Optional(Day("Required for credit.")),
		currency: Optional(
			OneOf(
				CURRENCIES,
				"Default DOP. Another one is shown beside the pesos, at `exchange_rate`; amounts stay in pesos. The yuan is `CNY`; the authority's own `CHY` is taken as well.",
			),
		),
		exchange_rate: Optional(Amount("Pesos for one unit; required unless DOP.")),
		income_type: Optional(OneOf(["01", "02", "03", "04", "05", "06"], "Default 01.")),
		payment: Optional(
			Type.Object(
				{
					terms: OneOf(["cash", "credit", "free"], "How it is paid."),
					forms: Optional(
						Type.Array(
							Type.Object(
								{ method: Type.Integer({ minimum: 1, maximum: 8 }), amount: Amount("Amount so paid.") },
								closed,
							),
							{ maxItems: 7 },
						),
					),
				},
				closed,
			),
		),
		reference: Optional(Reference),
		adjustments: Optional(Type.Array(Adjustment, { maxItems: 20, description: ADJUSTMENTS })),
		branch: Optional(Text(60, "Branch.")),
		pos: Optional(Text(60, "Point of sale.")),
		seller: Optional(Text(60, "Seller.")),
		order_number: Optional(
			Text(
				60,
				"The buyer's order. Up to 20 characters stand in the e-CF's `NumeroOrdenCompra`, where the buyer's program looks for it; a longer one stands among the issuer's remarks, whole, " +
					"since a cut number names nothing.",
			),
		),
		notes: Optional(Text(1_000, "Free text, not part of the e-CF.")),
		emails: Optional(
			Type.Array(Type.String({ maxLength: 80, ...EMAIL_FORM }), {
				maxItems: 10,
				description:
					"Whom the printed document and the signed e-CF are mailed to, once, when the authority has accepted the document: as by `POST /v1/invoices/{docId}/email`, whose limits hold " +
					"and whose list shows it. An address that no mail can go to is a warning, `not-mailable`.",
			}),
		),
		metadata: Optional(
			Type.Record(Type.String({ pattern: "^[\\s\\S]{1,40}$" }), Type.String({ maxLength: 500 }), {
				maxProperties: 20,
				additionalProperties: false,
				faultDetail: "A name has 1 to 40 characters.",
			}),
		),
	},
	{ additionalProperties: false, $id: "InvoiceRequest" },
);
export type InvoiceRequest = Static<typeof InvoiceRequest>;

/** A complete request, for the documentation and the first try. */
export const EXAMPLE_INVOICE = {
	type: "31",
	encf: "E310000000001",
	client_request_id: "POS7-2026-11-20-000123",
	company: { rnc: "990000001", name: "FERRETERIA EL PROGRESO SRL" },
	customer: { rnc: "990000002", name: "CLIENTE SRL" },
	lines: [
		{ line_number: 1, description: "Cemento gris 42.5kg", quantity: "10", unit_price: "450.00", subtotal: "4500.00" },
	],
	totals: { subtotal: "4500.00", tax: "810.00", grand_total: "5310.00" },
	metadata: { order: "SO-9912" },
} as const;
