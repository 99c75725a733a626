/**
 * The request of one e-CF type: the schema that every request is checked with, narrowed by what the type demands.
 *
 * It never refuses what the service accepts. What a schema cannot say (sums, the calendar, the buyer of a large consumer
 * invoice) is left to the service. What the service takes without and the authority does not is marked `x-recommended`.
 */
import { type TSchema, Type } from "@sinclair/typebox";
import { carries, type EcfType, mostOf, profileOf } from "../../../ecf/mapping";
import { InvoiceRequest } from "../model/invoice";

const closed = { additionalProperties: false };
const properties = InvoiceRequest.properties;
const line = properties.lines.items;

/** The schema of a request of the type, as plain data with TypeBox's own marks. */
export function toTypeSchema(type: EcfType): TSchema {
	return Type.Object(
		{
			...properties,
			type: Type.Literal(type, { description: `e-CF type ${type}, a ${profileOf(type).name}.` }),
			encf: Type.String({
				...properties.encf,
				pattern: `^(auto|E${type}[0-9]{8,10})$`,
				not: { pattern: "^E[0-9]{2}0+$" },
			}),
			company: Type.Object(
				{ ...properties.company.properties, rnc: TaxpayerNumber(properties.company.properties.rnc) },
				closed,
			),
			customer: toCustomer(type),
			lines: Type.Array(toLine(type), { minItems: 1, maxItems: mostOf(type, "DetallesItems/Item") }),
			reference: Type.Optional(toReference(type)),
			exchange_rate: Type.Optional({ ...properties.exchange_rate, not: { pattern: "^0(\\.0+)?$" } } as TSchema),
			adjustments: Type.Optional(toAdjustments(type)),
		},
		{
			...closed,
			title: `Request for a ${profileOf(type).name} (e-CF ${type})`,
			description: "Body of `POST /v1/invoices`. Decimals are strings, so that no client rounds them.",
			allOf: [DUE_DATE_OF_CREDIT, RATE_OF_CURRENCY],
		},
	);
}

/** 9 or 11 digits, hyphens and spaces among them. */
const TaxpayerNumber = (text: TSchema) => Type.String({ ...text, pattern: "^[- ]*([0-9][- ]*){9}(([0-9][- ]*){2})?$" });
const NotBlank = (text: TSchema) => Type.String({ ...text, pattern: "\\S" });

function toCustomer(type: EcfType): TSchema {
	const { rnc, name } = properties.customer.properties;
	const number = TaxpayerNumber(rnc);
	if (!profileOf(type).namesBuyer) return Type.Optional(Type.Object({ rnc: number, name }, { ...closed, ...ONE_NAME }));
	return Type.Required(Type.Object({ rnc: number, name: NotBlank(name) }), closed);
}

const ONE_NAME = { anyOf: [{ required: ["rnc"] }, { required: ["name"] }] };
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

/** A special-regime invoice carries no ITBIS. */
function toLine(type: EcfType): TSchema {
	return Type.Object(
		{
			...line.properties,
			description: NotBlank(line.properties.description),
			quantity: Type.String({ ...line.properties.quantity, not: { pattern: ZERO } }),
			tax_rate: carries(type, "TotalITBIS") ? line.properties.tax_rate : WITHOUT_TAX,
			withholding: toWithholding(type),
			additional_taxes: toAdditionalTaxes(type),
		},
		closed,
	);
}

/** Of a purchase each line says what is withheld. */
function toWithholding(type: EcfType): TSchema {
	const { withholding } = line.properties;
	if (!carries(type, "Retencion")) {
		return Type.Optional(Type.Object({ itbis: NOTHING, isr: NOTHING }, { ...closed, description: "Nothing." }));
	}
	if (!profileOf(type).isPurchase) return withholding;
	const description = "What the buyer withholds from the seller; 0.00 each when absent.";
	return Type.Optional({ ...withholding, "x-recommended": true, description } as TSchema);
}

/** None on purchases, and on special-regime invoices the taxes on services alone. */
function toAdditionalTaxes(type: EcfType): TSchema {
	const { additional_taxes } = line.properties;
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

const WITHOUT_TAX = Type.Optional(
	Type.Union([Type.Literal("0"), Type.Literal("exempt")], { description: "No ITBIS." }),
);

function toAdjustments(type: EcfType): TSchema {
	const { maxItems, description, items } = properties.adjustments;
	return Type.Array(toAdjustment(type, items.properties), { maxItems, description });
}

function toAdjustment(type: EcfType, members: typeof properties.adjustments.items.properties): TSchema {
	const tax_rate = carries(type, "TotalITBIS") ? members.tax_rate : WITHOUT_TAX;
	const percent = Type.Optional({
		...members.percent,
		not: { anyOf: [{ pattern: ZERO }, { pattern: "^[0-9]{4}" }] },
	} as TSchema);
	return Type.Object({ ...members, percent, tax_rate }, { ...closed, ...AMOUNT_OR_PERCENT });
}

/** Notes correct something; other types may replace a document of a contingency (4), a 31 may name a consumer invoice (5). */
function toReference(type: EcfType): TSchema {
	const { reference } = properties;
	const { isNote, isFiscalCredit } = profileOf(type);
	if (isNote) {
		const description = "The document that the note corrects. The authority rejects a note without it.";
		return { ...reference, "x-recommended": true, description } as TSchema;
	}
	const codes = isFiscalCredit ? [Type.Literal(4), Type.Literal(5)] : [Type.Literal(4)];
	const description = "4 replaces a contingency document, 5 refers to a consumer invoice.";
	return Type.Object({ ...reference.properties, code: Type.Union(codes, { description }) }, closed);
}
