/** The older camelCase body: its schema, its conversion, and the canonical name of each member for callers that still send it. */

import { type Static, type TSchema, Type } from "@sinclair/typebox";
import { ECF_TYPES, type InvoiceRequest } from "../../../ecf/mapping";
import { type Fault, msg, Problem } from "../../../platform/problem";
import { Decimal } from "../../../platform/values";

// Maps, not objects: a member named `constructor` is something in every object.
const TOP = new Map([
	["ecfType", "/type"],
	["issueDate", "/issue_date"],
	["buyer", "/customer"],
	["subtotal", "/totals/subtotal"],
	["tax", "/totals/tax"],
	["grandTotal", "/totals/grand_total"],
]);
const LINE = new Map([
	["qty", "quantity"],
	["unitPrice", "unit_price"],
	["taxRate", "tax_rate"],
]);

/** Turns `unknown-field` into `legacy-field` with the name to use. `tenantId` is not accepted. */
export function explainLegacy(fault: Fault): Fault {
	if (fault.code !== "unknown-field") return fault;
	if (fault.pointer === "/tenantId") {
		return {
			...fault,
			code: "not-accepted",
			detail: msg`The tenant is that of the bearer token. Leave the member out.`,
		};
	}
	const line = /^(\/lines\/\d+)\/(\w+)$/.exec(fault.pointer);
	const inLine = line ? LINE.get(line[2] ?? "") : undefined;
	const use = inLine ? `${line?.[1]}/${inLine}` : TOP.get(fault.pointer.slice(1));
	if (!use) return fault;
	return { ...fault, code: "legacy-field", detail: msg`The member belongs to an older form. Use ${use}.`, use };
}

const closed = { additionalProperties: false };
const Optional = <T extends TSchema>(schema: T) => Type.Optional(schema);
const Text = (maxLength: number, description: string) => Type.String({ minLength: 1, maxLength, description });
/** Some published samples have numbers here. The conversion checks their digits. */
const Amount = (description: string) => Type.Union([Type.Number(), Type.String()], { description });

const LegacyLine = Type.Object(
	{
		description: Text(1_000, "Name of the good or service."),
		qty: Amount("Becomes `quantity`."),
		unitPrice: Amount("Becomes `unit_price`; without tax."),
		taxRate: Optional(
			Type.Union([Type.Number(), Type.String()], { description: "18, 16, 0 or `exempt`. Becomes `tax_rate`." }),
		),
	},
	closed,
);

export const LegacyInvoice = Type.Object(
	{
		tenantId: Optional(Type.String({ description: "Dropped: the tenant is that of the bearer token." })),
		ecfType: Type.Union([Type.Integer(), Type.String()], { description: "Becomes `type`." }),
		encf: Type.String({
			pattern: "^E[0-9]{2}[0-9]{8,10}$",
			faultCode: "encf-form",
			faultDetail: msg`Send E, the type and 10 digits.`,
			description: "Unchanged.",
		}),
		issueDate: Optional(
			Type.String({
				pattern: "^\\d{4}-\\d{2}-\\d{2}$",
				faultCode: "invalid-date",
				faultDetail: msg`Send YYYY-MM-DD.`,
				description: "Becomes `issue_date`.",
			}),
		),
		buyer: Optional(
			Type.Object(
				{ rnc: Optional(Text(20, "The buyer's RNC or Cédula.")), name: Optional(Text(150, "The buyer's name.")) },
				{ ...closed, description: "Becomes `customer`." },
			),
		),
		lines: Type.Array(LegacyLine, {
			minItems: 1,
			maxItems: 10_000,
			description: "Unchanged, but for the names of their members.",
		}),
		subtotal: Amount("Becomes `totals.subtotal`."),
		tax: Amount("Becomes `totals.tax`."),
		grandTotal: Amount("Becomes `totals.grand_total`."),
	},
	{ ...closed, $id: "LegacyInvoice" },
);
export type LegacyInvoice = Static<typeof LegacyInvoice>;

type Line = InvoiceRequest["lines"][number];

/** Decimal digits that a double preserves exactly. */
const EXACT_DIGITS = 15;
const RATES: readonly string[] = ["18", "16", "0", "exempt"];

/**
 * Converts the older body into the canonical request. Nothing is guessed: a number whose digits JSON may have changed is refused, and so is an unknown
 * rate. The issuer is the caller's company. Throws: unsupported-ecf-type, validation-error.
 */
export function convertLegacy(legacy: LegacyInvoice, company: InvoiceRequest["company"]): InvoiceRequest {
	const type = String(legacy.ecfType);
	if (!ECF_TYPES.some((one) => one === type)) {
		throw new Problem("unsupported-ecf-type", { detail: msg`Send one of ${ECF_TYPES.join(", ")} as ecfType.` });
	}
	const faults: Fault[] = [];
	const amount = (value: number | string, pointer: string) => toDecimal(value, pointer, faults);
	const lines = legacy.lines.map((line, i): Line => {
		const at = `/lines/${i}`;
		const quantity = amount(line.qty, `${at}/qty`);
		const price = amount(line.unitPrice, `${at}/unitPrice`);
		const rate = toRate(line.taxRate, `${at}/taxRate`, faults);
		return {
			line_number: i + 1,
			description: line.description,
			quantity,
			unit_price: price,
			subtotal: multiply(quantity, price, at, faults),
			...(rate === undefined ? {} : { tax_rate: rate }),
		};
	});
	const invoice: InvoiceRequest = {
		type,
		encf: legacy.encf,
		company,
		...(legacy.buyer ? { customer: legacy.buyer } : {}),
		lines,
		totals: {
			subtotal: amount(legacy.subtotal, "/subtotal"),
			tax: amount(legacy.tax, "/tax"),
			grand_total: amount(legacy.grandTotal, "/grandTotal"),
		},
		...(legacy.issueDate === undefined ? {} : { issue_date: legacy.issueDate }),
	};
	if (faults.length > 0) throw new Problem("validation-error", { faults });
	return invoice;
}

/** The canonical text of an amount. With a violation it is "0", which is never returned. */
function toDecimal(value: number | string, pointer: string, faults: Fault[]): string {
	const text = String(value);
	if (!Decimal.parse(text)) {
		const detail = msg`Send at most 16 integer digits and 6 decimals, without sign or exponent.`;
		faults.push({ pointer, code: "decimal-form", detail });
		return "0";
	}
	if (typeof value === "number" && text.replace(/\D/g, "").length > EXACT_DIGITS) {
		const detail = msg`A JSON number holds ${EXACT_DIGITS} digits exactly. Send this one as a string.`;
		faults.push({ pointer, code: "decimal-inexact", detail });
		return "0";
	}
	return text;
}

/** The amount of a line, which the older body lacks, with two decimals as in the authority's format. */
function multiply(quantity: string, price: string, pointer: string, faults: Fault[]): string {
	const product = Decimal.of(quantity).times(Decimal.of(price)).rounded(2).toFixed(2);
	if (Decimal.parse(product)) return product;
	faults.push({ pointer, code: "decimal-form", detail: msg`qty × unitPrice has more than 16 integer digits.` });
	return "0";
}

function toRate(rate: number | string | undefined, pointer: string, faults: Fault[]): string | undefined {
	if (rate === undefined) return undefined;
	const text = String(rate);
	if (RATES.includes(text)) return text;
	faults.push({ pointer, code: "not-in-list", detail: msg`Expected one of: ${RATES.join(", ")}.`, allowed: RATES });
	return undefined;
}
