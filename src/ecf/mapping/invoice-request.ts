/**
 * The canonical invoice request: body of `POST /v1/invoices`, and, with its lines in request-parts.ts, the only list of its members.
 * Decimals are strings, so that no client rounds them.
 *
 * The mapping, the schema of a type, printing and the random generator each have a table that is checked against `EcfLine` and `EcfInvoice`. A member
 * that is added here and missing there does not compile.
 */
import { type Static, Type } from "@sinclair/typebox";
import { msg } from "../../platform/problem";
import { DECIMAL_PATTERN } from "../../platform/values";
import { ECF_TYPES } from "../types";
import {
	type AdditionalTax,
	Amount,
	CURRENCIES,
	closed,
	Day,
	type ItemCode,
	Line,
	Mail,
	NonBillableLine,
	OneOf,
	Optional,
	Place,
	Text,
} from "./request-parts";

const Reference = Type.Object(
	{
		encf: Type.String({
			minLength: 11,
			maxLength: 19,
			pattern: "^[A-Z][A-Z0-9]{10,18}$",
			faultDetail: msg`Send the fiscal number as printed: a capital letter, then 10 to 18 digits or capital letters.`,
			description: "Fiscal number of the document that this one modifies.",
		}),
		issue_date: Day("Issue date of that document."),
		code: Type.Integer({
			minimum: 1,
			maximum: 5,
			description:
				"1 cancels, 2 corrects text, 3 corrects amounts, 4 replaces a contingency document, 5 refers to a consumer invoice.",
		}),
		reason: Optional(Text(90, "Reason for the modification.")),
		customer_rnc: Optional(
			Type.String({
				pattern: "^[0-9]{9}([0-9]{2})?$",
				faultDetail: msg`Send 9 or 11 digits, without hyphens.`,
				description: "RNC of the original issuer, if it was another company that has been dissolved or merged.",
			}),
		),
	},
	{ ...closed, description: "The document that this one corrects, replaces or refers to." },
);

const Adjustment = Type.Object(
	{
		kind: OneOf(["discount", "surcharge"], "Whether it lowers or raises the amount."),
		description: Text(1_000, "Printed description."),
		amount: Optional(Amount("Without ITBIS. If you also send a percentage, the amount counts.")),
		percent: Optional(
			Amount(
				"Percentage of the lines with `tax_rate`, or of all lines, before other adjustments. Rounded half up to the cent.",
			),
		),
		tax_rate: Optional(
			OneOf(
				["18", "16", "0", "exempt"],
				"Tax rate whose base it changes. Without it: all rates in use, in proportion.",
			),
		),
	},
	closed,
);
const ADJUSTMENTS =
	"Discounts and surcharges on the whole document. They change the tax base: `totals.subtotal` is the sum of the lines less discounts plus surcharges, and " +
	"`totals.tax` is the tax on that. One line of 100.00 at 18 % with a discount of 20 % has the totals 80.00, 14.40, 94.40. If `totals.subtotal` is the sum of the " +
	"lines alone, `totals.tax` may include them instead: the tax less discounts plus surcharges. If no total includes them, they are left out of the e-CF and of " +
	"print, with the warning `adjustments-not-in-totals`.";

const Customer = Type.Object(
	{
		rnc: Optional(Text(20, "The buyer's RNC or Cédula.")),
		foreign_id: Optional(
			Text(
				20,
				"Passport or tax number of a foreign buyer, in place of `rnc`: types 32, 33, 34 and 44. With a name it identifies the buyer of a large consumer invoice.",
			),
		),
		name: Optional(Text(150, "The buyer's name.")),
		contact: Optional(Text(80, "Person to contact.")),
		email: Optional(Mail("The buyer's address, as the e-CF states it. No mail goes there; see `emails`.")),
		address: Optional(
			Type.Object(
				{
					street: Optional(Text(100, "Street and number.")),
					municipality_code: Optional(Place("Municipality or district, a code of `GET /v1/places`.")),
					province_code: Optional(Place("Province, a code of `GET /v1/places`.")),
				},
				{ ...closed, description: "The buyer's address." },
			),
		),
		code: Optional(Text(20, "Your own code of the buyer.")),
	},
	{
		...closed,
		description:
			"The other party: the buyer, or the seller on type 41. Which members are required depends on the type.",
	},
);

const Delivery = Type.Object(
	{
		date: Optional(Day("Day of delivery.")),
		contact: Optional(Text(100, "Person who receives the goods.")),
		address: Optional(Text(100, "Place of delivery.")),
		phone: Optional(Text(30, "Phone number with ten digits, in any spelling.")),
	},
	{ ...closed, description: "Where and when the goods are delivered. Not on type 41." },
);

const AMOUNTS_IN =
	"Currency of all amounts of the request. `DOP`, the default: pesos; the document shows them divided by `exchange_rate` too. `document`: they are in `currency`. " +
	"The document then states each line at `exchange_rate` in pesos, adds up bases and taxes from these, and shows the amounts as sent beside them; `totalsDop` of " +
	"the answer has the pesos. The limit of 250,000.00 and reports are always in pesos. Another currency without this member gives the warning `currency-amounts-in-pesos`.";

export const InvoiceRequest = Type.Object(
	{
		type: OneOf(ECF_TYPES, "e-CF type."),
		encf: Type.String({
			pattern: "^(auto|E[0-9]{2}[0-9]{8,10})$",
			faultCode: "encf-form",
			faultDetail: msg`Send E, the type and 10 digits.`,
			description:
				'Number of the document, or `auto` for the next number of the registered sequences (company setting `sequenceMode: "service"`).',
		}),
		client_request_id: Optional(
			Type.String({
				minLength: 8,
				maxLength: 64,
				pattern: "^[^\\u0000-\\u001f\\u007f-\\u009f]*$",
				faultDetail: msg`Contains a control character.`,
				description:
					"Your own id of the request. Unlike the Idempotency-Key header, it protects against duplicates forever.",
			}),
		),
		company: Type.Object(
			{ rnc: Text(20, "The issuer's RNC."), name: Text(150, "The issuer's name.") },
			{ ...closed, description: "The issuer: the company of the access token." },
		),
		customer: Optional(Customer),
		lines: Type.Array(Line, {
			minItems: 1,
			maxItems: 10_000,
			description: "Goods and services in the order of print. Each type has a lower limit of its own.",
		}),
		totals: Type.Object(
			{
				subtotal: Amount("Sum of the lines, less discounts and plus surcharges of `adjustments`. May be 0.01 off."),
				tax: Amount("Total tax: ITBIS, the lines' additional taxes and the legal tip."),
				grand_total: Amount("subtotal + tax, exactly."),
			},
			{ ...closed, description: "Sums of the document. They must agree with the lines." },
		),
		issue_date: Optional(Day("Default today (UTC-4). Must not be in the future.")),
		due_date: Optional(Day("Required for credit.")),
		currency: Optional(
			OneOf(
				CURRENCIES,
				"Default DOP. Any other currency is shown beside the pesos, at `exchange_rate`; `amounts_in` names the currency of the amounts. The yuan is `CNY`; the authority's own `CHY` is accepted too.",
			),
		),
		exchange_rate: Optional(Amount("Pesos for one unit. Required unless the currency is DOP.")),
		amounts_in: Optional(OneOf(["DOP", "document"], AMOUNTS_IN)),
		legal_tip: Optional(
			Amount(
				"The legal tip of 10 %, tax 001, on all lines: part of `totals.tax`. Types 31, 32, 33, 34 and 44. More than 1.00 off gives the warning `tip-differs`.",
			),
		),
		income_type: Optional(OneOf(["01", "02", "03", "04", "05", "06"], "Default 01.")),
		payment: Optional(
			Type.Object(
				{
					terms: OneOf(["cash", "credit", "free"], "Payment terms."),
					forms: Optional(
						Type.Array(
							Type.Object(
								{
									method: Type.Integer({
										minimum: 1,
										maximum: 8,
										description:
											"Way of payment: 1 cash, 2 cheque, transfer or deposit, 3 card, 4 on credit, 5 gift vouchers, 6 barter, 7 credit note, 8 other.",
									}),
									amount: Amount("Amount paid this way."),
								},
								closed,
							),
							{ maxItems: 7, description: "How the document is paid, with the amount of each way. Not on type 34." },
						),
					),
					account: Optional(
						Type.Object(
							{
								type: Optional(OneOf(["CT", "AH", "OT"], "CT current account, AH savings account, OT another.")),
								number: Text(28, "Number of the account."),
								bank: Optional(Text(75, "Name of the bank.")),
							},
							{ ...closed, description: "Account of the payment. Not on type 34." },
						),
					),
					terms_text: Optional(
						Type.String({
							pattern: "^[A-Za-z0-9ÁÉÍÓÚÜÑáéíóúüñ ]{1,15}$",
							faultDetail: msg`Send at most 15 letters, digits and spaces.`,
							description: 'Terms in words, such as "30 días". Not on type 34.',
						}),
					),
				},
				{ ...closed, description: "How and when the document is paid." },
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
				"The buyer's order number. Up to 20 characters go into the e-CF's `NumeroOrdenCompra`, where the buyer's program looks for it. A longer number goes, " +
					"complete, into the issuer's remarks.",
			),
		),
		order_date: Optional(Day("Day of the buyer's order. Not on type 41.")),
		internal_number: Optional(Text(20, "Your own number of the document.")),
		sales_zone: Optional(Text(20, "Sales zone. Not on type 41.")),
		sales_route: Optional(Text(20, "Sales route. Not on type 41.")),
		delivery: Optional(Delivery),
		period: Optional(
			Type.Object(
				{ from: Day("First day."), to: Day("Last day.") },
				{ ...closed, description: "The period that is billed. Not on type 41." },
			),
		),
		all_inclusive: Optional(
			Type.Literal(true, { description: "The service is all-inclusive, as in hotels. Not on type 41." }),
		),
		deferred: Optional(
			Type.Literal(true, {
				description:
					"Issued offline by a taxpayer that the authority authorised to send later: company setting `deferredSending`. Due at the authority within 24 hours. Not on type 41.",
			}),
		),
		non_billable_lines: Optional(
			Type.Array(NonBillableLine, {
				maxItems: 100,
				description:
					"Items that are not billed, such as deposits. They follow the lines and are no part of `totals`; `MontoPeriodo` is the total with them. Not on type 41.",
			}),
		),
		advance: Optional(Amount("Paid in advance. The amount due is the total less `advance` plus `prior_balance`.")),
		prior_balance: Optional(
			Type.String({
				pattern: DECIMAL_PATTERN.replace("^", "^-?"),
				description: "Balance of earlier documents; negative if it is in the buyer's favour.",
				faultCode: "decimal-form",
				faultDetail: msg`Send a decimal such as "-450.00": at most 16 integer digits and 6 decimals.`,
			}),
		),
		notes: Optional(Text(1_000, "Free text, not part of the e-CF.")),
		emails: Optional(
			Type.Array(
				Type.String({
					maxLength: 80,
					pattern: "^[^@\\s]+@[^@\\s]+$",
					faultCode: "invalid-email",
					faultDetail: msg`Is not an e-mail address.`,
				}),
				{
					maxItems: 10,
					description:
						"Recipients of the printed document and the signed e-CF. The mail is sent once, when the authority has accepted the document, under the limits of " +
						"`POST /v1/invoices/{docId}/email`, whose list shows it. An address that cannot receive mail gives the warning `not-mailable`.",
				},
			),
		),
		metadata: Optional(
			Type.Record(Type.String({ pattern: "^[\\s\\S]{1,40}$" }), Type.String({ maxLength: 500 }), {
				maxProperties: 20,
				additionalProperties: false,
				faultDetail: msg`A name has 1 to 40 characters.`,
				description: "Your own names and values. They are stored and returned, and do not appear on the document.",
			}),
		),
	},
	{ additionalProperties: false, $id: "InvoiceRequest" },
);
export type InvoiceRequest = Static<typeof InvoiceRequest>;

type ReadonlyDeep<T> = T extends object ? { readonly [K in keyof T]: ReadonlyDeep<T[K]> } : T;

export type EcfInvoice = ReadonlyDeep<InvoiceRequest>;
export type EcfLine = EcfInvoice["lines"][number];
export type EcfNonBillableLine = ReadonlyDeep<Static<typeof NonBillableLine>>;
export type EcfItemCode = ReadonlyDeep<Static<typeof ItemCode>>;
/** A tax other than ITBIS. Its amount is part of `totals.tax`. */
export type EcfAdditionalTax = ReadonlyDeep<Static<typeof AdditionalTax>>;
/** A discount or surcharge on the whole document. */
export type EcfAdjustment = ReadonlyDeep<Static<typeof Adjustment>>;

/** What an e-CF is made from. Plain data. */
export type EcfInput = {
	readonly invoice: EcfInvoice;
	readonly issuer: EcfIssuer;
	/** Last day of the number sequence; some types have none. */
	readonly sequenceExpiresOn?: string;
	/** ISO instant of signing. It is also the issue date if the request has none. */
	readonly signedAt: string;
};

/** The issuing company. Its record fills `Emisor`; the `company` of the invoice does not. */
export type EcfIssuer = {
	readonly rnc: string;
	readonly name: string;
	readonly tradeName?: string;
	readonly address?: {
		readonly street?: string;
		/** Six digits, province and municipality. */
		readonly municipalityCode?: string;
		readonly provinceCode?: string;
	};
	readonly phone?: string;
	readonly email?: string;
	readonly economicActivity?: string;
};

/** A complete request, for the documentation and for a first try. */
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
