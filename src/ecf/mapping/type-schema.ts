/**
 * The JSON Schema of a request of one e-CF type: the request schema, narrowed by what the type requires.
 *
 * It accepts everything that the service accepts. The service checks what a schema cannot express: sums, the calendar, the buyer of a large consumer
 * invoice. Members that the service does not require but the authority does are marked `x-recommended`.
 */
import { type TSchema, Type } from "@sinclair/typebox";
import { carries } from "../format";
import { type EcfType, profileOf } from "../types";
import { type EcfAdjustment, type EcfInvoice, type EcfLine, InvoiceRequest } from "./invoice-request";

/** A schema for every member, undefined if the type lacks it: a member of the request schema that is missing here does not compile. */
type SchemaOf<T> = Record<keyof T, TSchema | undefined>;

const closed = { additionalProperties: false };
const request = InvoiceRequest.properties;
const line = request.lines.items.properties;
const adjustment = request.adjustments.items.properties;

/** The schema of a request of the type, as plain data with TypeBox's own marks. */
export function toTypeSchema(type: EcfType): TSchema {
	const { name, linesMax, keptLinesMax = linesMax } = profileOf(type);
	const ifCarried = (element: string, member: TSchema) => (carries(type, element) ? member : undefined);
	return Type.Object(
		presentOf({
			type: Type.Literal(type, { description: `e-CF type ${type}, a ${name}.` }),
			encf: Type.String({
				...request.encf,
				pattern: `^(auto|E${type}[0-9]{8,10})$`,
				not: { pattern: "^E[0-9]{2}0+$" },
			}),
			client_request_id: request.client_request_id,
			company: Type.Object(
				{ ...request.company.properties, rnc: TaxpayerNumber(request.company.properties.rnc) },
				closed,
			),
			customer: toCustomer(type),
			lines: Type.Array(toLine(type), { minItems: 1, maxItems: keptLinesMax }),
			totals: request.totals,
			issue_date: request.issue_date,
			due_date: request.due_date,
			currency: request.currency,
			exchange_rate: Type.Optional({ ...request.exchange_rate, not: { pattern: "^0(\\.0+)?$" } } as TSchema),
			amounts_in: request.amounts_in,
			legal_tip: profileOf(type).additionalTaxes === "none" ? undefined : request.legal_tip,
			income_type: request.income_type,
			payment: Type.Optional(toPayment(type)),
			reference: Type.Optional(toReference(type)),
			adjustments: Type.Optional(toAdjustments(type)),
			branch: request.branch,
			pos: request.pos,
			seller: request.seller,
			order_number: request.order_number,
			order_date: ifCarried("FechaOrdenCompra", request.order_date),
			internal_number: request.internal_number,
			sales_zone: ifCarried("ZonaVenta", request.sales_zone),
			sales_route: ifCarried("RutaVenta", request.sales_route),
			delivery: ifCarried("FechaEntrega", request.delivery),
			period: ifCarried("FechaDesde", request.period),
			all_inclusive: ifCarried("IndicadorServicioTodoIncluido", request.all_inclusive),
			deferred: ifCarried("IndicadorEnvioDiferido", request.deferred),
			non_billable_lines: ifCarried("MontoNoFacturable", request.non_billable_lines),
			advance: request.advance,
			prior_balance: request.prior_balance,
			notes: request.notes,
			emails: request.emails,
			metadata: request.metadata,
		} satisfies SchemaOf<EcfInvoice>),
		{
			...closed,
			title: `Request for a ${name} (e-CF ${type})`,
			description: "Body of `POST /v1/invoices`. Decimals are strings, so that no client rounds them.",
			allOf: [DUE_DATE_OF_CREDIT, RATE_OF_CURRENCY],
		},
	);
}

function presentOf(members: Readonly<Record<string, TSchema | undefined>>): Record<string, TSchema> {
	const present = Object.entries(members).filter((entry): entry is [string, TSchema] => entry[1] !== undefined);
	return Object.fromEntries(present);
}

/** 9 or 11 digits, with hyphens and spaces anywhere. */
const TaxpayerNumber = (text: TSchema) => Type.String({ ...text, pattern: "^[- ]*([0-9][- ]*){9}(([0-9][- ]*){2})?$" });
const NotBlank = (text: TSchema) => Type.String({ ...text, pattern: "\\S" });

function toCustomer(type: EcfType): TSchema {
	const { rnc, foreign_id, name, ...others } = request.customer.properties;
	const number = TaxpayerNumber(rnc);
	const foreign: Record<string, TSchema> = carries(type, "IdentificadorExtranjero") ? { foreign_id } : {};
	const numbers = Object.keys({ rnc, ...foreign });
	const oneNumber = numbers.length > 1 ? { not: { required: numbers } } : {};
	if (!profileOf(type).namesBuyer) {
		const anyOf = [...numbers, "name"].map((one) => ({ required: [one] }));
		return Type.Optional(
			Type.Object({ rnc: Type.Optional(number), ...foreign, name, ...others }, { ...closed, anyOf, ...oneNumber }),
		);
	}
	const named = { name: Type.Optional(NotBlank(name), false), ...others };
	if (numbers.length === 1) return Type.Object({ rnc: Type.Optional(number, false), ...named }, closed);
	const anyOf = numbers.map((one) => ({ required: [one] }));
	return Type.Object({ rnc: Type.Optional(number), ...foreign, ...named }, { ...closed, anyOf, ...oneNumber });
}

function toPayment(type: EcfType): TSchema {
	const { account, terms_text, ...others } = request.payment.properties;
	return Type.Object({ ...others, ...(carries(type, "TerminoPago") ? { account, terms_text } : {}) }, closed);
}

const AMOUNT_OR_PERCENT = { anyOf: [{ required: ["amount"] }, { required: ["percent"] }] };
const DUE_DATE_OF_CREDIT = {
	if: {
		properties: { payment: { properties: { terms: { const: "credit" } }, required: ["terms"] } },
		required: ["payment"],
	},
	// biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
	then: { required: ["due_date"] },
};
const RATE_OF_CURRENCY = {
	if: { properties: { currency: { not: { const: "DOP" } } }, required: ["currency"] },
	// biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
	then: { required: ["exchange_rate"] },
};

function toLine(type: EcfType): TSchema {
	return Type.Object(
		presentOf({
			line_number: line.line_number,
			description: NotBlank(line.description),
			quantity: Type.String({ ...line.quantity, not: { pattern: ZERO } }),
			unit_price: line.unit_price,
			subtotal: line.subtotal,
			gross_unit_price: carries(type, "IndicadorMontoGravado") ? line.gross_unit_price : undefined,
			gross_subtotal: carries(type, "IndicadorMontoGravado") ? line.gross_subtotal : undefined,
			tax_rate: carries(type, "TotalITBIS") ? line.tax_rate : WITHOUT_TAX,
			kind: line.kind,
			unit: line.unit,
			item_code: line.item_code,
			discount: line.discount,
			surcharge: line.surcharge,
			withholding: toWithholding(type),
			additional_taxes: toAdditionalTaxes(type),
			production_date: line.production_date,
			expiry_date: line.expiry_date,
			excise: carries(type, "CantidadReferencia") ? EXCISE : undefined,
		} satisfies SchemaOf<EcfLine>),
		closed,
	);
}

function toWithholding(type: EcfType): TSchema {
	const { withholding } = line;
	if (!carries(type, "Retencion")) {
		return Type.Optional(Type.Object({ itbis: NOTHING, isr: NOTHING }, { ...closed, description: "Nothing." }));
	}
	if (!profileOf(type).isPurchase) return withholding;
	const description = "What the buyer withholds from the seller. Without it: 0.00 each.";
	return Type.Optional({ ...withholding, "x-recommended": true, description } as TSchema);
}

function toAdditionalTaxes(type: EcfType): TSchema {
	const { additional_taxes } = line;
	const carried = profileOf(type).additionalTaxes;
	if (carried === "all") return additional_taxes;
	const isNothing = { properties: { amount: NOTHING } };
	const item = additional_taxes.items;
	const narrowed =
		carried === "none" ? { allOf: [isNothing] } : { anyOf: [{ properties: { code: OF_SERVICES } }, isNothing] };
	return Type.Optional({ ...additional_taxes, items: { ...item, ...narrowed } } as TSchema);
}

/** Zero at the two decimals that the service rounds to. */
const ZERO = "^0(\\.0{1,2}|\\.00[0-4][0-9]{0,3})?$";
const NOTHING = Type.String({ pattern: ZERO, description: "Zero." });
const OF_SERVICES = Type.String({ pattern: "^00[1-5]$" });

const PERCENTAGE = { not: { anyOf: [{ pattern: ZERO }, { pattern: "^[0-9]{4}" }] } };
const excise = line.excise.properties;
const EXCISE = Type.Optional(
	Type.Object(
		{
			...excise,
			alcohol_degrees: Type.Optional({ ...excise.alcohol_degrees, ...PERCENTAGE } as TSchema),
			retail_price: Type.Optional({ ...excise.retail_price, not: { pattern: ZERO } } as TSchema),
		},
		{ ...closed, description: line.excise.description },
	),
);

const WITHOUT_TAX = Type.Optional(
	Type.Union([Type.Literal("0"), Type.Literal("exempt")], { description: "No ITBIS." }),
);

function toAdjustments(type: EcfType): TSchema {
	const { maxItems, description } = request.adjustments;
	const percent = Type.Optional({ ...adjustment.percent, ...PERCENTAGE } as TSchema);
	const members = {
		kind: adjustment.kind,
		description: adjustment.description,
		amount: adjustment.amount,
		percent,
		tax_rate: carries(type, "TotalITBIS") ? adjustment.tax_rate : WITHOUT_TAX,
	} satisfies SchemaOf<EcfAdjustment>;
	return Type.Array(Type.Object(members, { ...closed, ...AMOUNT_OR_PERCENT }), { maxItems, description });
}

/** Notes correct a document. Other types may replace a contingency document (4), fiscal-credit invoices a consumer invoice (5). */
function toReference(type: EcfType): TSchema {
	const { reference } = request;
	const { isNote, isFiscalCredit } = profileOf(type);
	if (isNote) {
		const description = "The document that the note corrects. The authority rejects a note without it.";
		return { ...reference, "x-recommended": true, description } as TSchema;
	}
	const codes = isFiscalCredit ? [Type.Literal(4), Type.Literal(5)] : [Type.Literal(4)];
	const description = "4 replaces a contingency document, 5 refers to a consumer invoice.";
	return Type.Object({ ...reference.properties, code: Type.Union(codes, { description }) }, closed);
}
