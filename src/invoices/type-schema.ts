/**
 * The request of one e-CF type: the schema that every request is checked with, narrowed by what the type demands.
 *
 * It never refuses what the service accepts. What a schema cannot say (sums, the calendar, the buyer of a large consumer
 * invoice) is left to the service. What the service takes without and the authority does not is marked `x-recommended`.
 */
import { type TSchema, Type } from "@sinclair/typebox";
import { carries, ECF_TYPE_NAMES, type EcfType, mostOf } from "../signing";
import { InvoiceRequest } from "./invoice";

const closed = { additionalProperties: false };
const properties = InvoiceRequest.properties;
const line = properties.lines.items;
const isNote = (type: EcfType) => type === "33" || type === "34";
const namesBuyer = (type: EcfType) => type === "31" || type === "41" || type === "44";

/** The schema of a request of the type, as plain data with TypeBox's own marks. */
export function toTypeSchema(type: EcfType): TSchema {
	return Type.Object(
		{
			...properties,
			type: Type.Literal(type, { description: `e-CF type ${type}, a ${ECF_TYPE_NAMES[type]}.` }),
			encf: Type.String({ ...properties.encf, pattern: `^E${type}[0-9]{8,10}$` }),
			customer: namesBuyer(type)
				? Type.Optional(Type.Required(properties.customer, closed), false)
				: Type.Optional({ ...properties.customer, ...ONE_NAME }),
			lines: Type.Array(toLine(type), { minItems: 1, maxItems: mostOf(type, "DetallesItems/Item") }),
			reference: Type.Optional(toReference(type)),
			adjustments: Type.Optional(
				Type.Array({ ...properties.adjustments.items, ...AMOUNT_OR_PERCENT }, { maxItems: 20 }),
			),
		},
		{
			...closed,
			title: `Request for a ${ECF_TYPE_NAMES[type]} (e-CF ${type})`,
			description: "Body of `POST /v1/invoices`. Decimals are strings, so that no client rounds them.",
			allOf: [DUE_DATE_OF_CREDIT, RATE_OF_CURRENCY],
		},
	);
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

/** A special-regime invoice carries no ITBIS; of a purchase each line says what is withheld. */
function toLine(type: EcfType): TSchema {
	const { tax_rate, withholding, ...others } = line.properties;
	const rate = carries(type, "TotalITBIS")
		? tax_rate
		: Type.Optional(Type.Union(WITHOUT_TAX, { description: "No ITBIS." }));
	const recommended = {
		"x-recommended": true,
		description: "What the buyer withholds from the seller; 0.00 each when absent.",
	};
	return Type.Object(
		{
			...others,
			tax_rate: rate,
			withholding: type === "41" ? Type.Optional({ ...withholding, ...recommended }) : withholding,
		},
		closed,
	);
}

const WITHOUT_TAX = [Type.Literal("0"), Type.Literal("exempt")];

/** Notes correct something; other types may replace a document of a contingency (4), a 31 may name a consumer invoice (5). */
function toReference(type: EcfType): TSchema {
	const { reference } = properties;
	if (isNote(type)) {
		const description = "The document that the note corrects. The authority rejects a note without it.";
		return { ...reference, "x-recommended": true, description } as TSchema;
	}
	const codes = type === "31" ? [Type.Literal(4), Type.Literal(5)] : [Type.Literal(4)];
	const description = "4 replaces a contingency document, 5 refers to a consumer invoice.";
	return Type.Object({ ...reference.properties, code: Type.Union(codes, { description }) }, closed);
}
