/** Derives an example from a schema, for answers that declare none. */
import type { TSchema } from "@sinclair/typebox";
import { Value } from "@sinclair/typebox/value";

const ID = "0192f110-7a00-7b11-9c22-334455667788";
const SELF = `/v1/invoices/${ID}`;
const TIME = "2026-11-20T14:20:00.118Z";
const SHA256 = "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08";

/** Candidate values by member name, tried in order. */
const byName: Readonly<Record<string, readonly unknown[]>> = {
	trackId: ["0192f110-7a01-7c33-8d44-556677889900"],
	tenantId: ["0192f0a1-b2c3-7d4e-8f00-112233445566"],
	rnc: ["990000001"],
	name: ["FERRETERIA EL PROGRESO SRL"],
	tradeName: ["EL PROGRESO"],
	encf: ["E310000000001"],
	type: ["31"],
	status: ["pending", "active"],
	phase: ["queued"],
	environment: ["sandbox"],
	authorityEnvironment: ["test"],
	plan: ["free"],
	email: ["facturas@elprogreso.do"],
	phone: ["809-555-0101"],
	street: ["Av. Duarte 100"],
	economicActivity: ["Venta al por menor de ferretería"],
	client_request_id: ["POS7-2026-11-20-000123"],
	description: ["Cemento gris 42.5kg"],
	quantity: ["10"],
	unit_price: ["450.00"],
	subtotal: ["4500.00"],
	tax: ["810.00"],
	grand_total: ["5310.00"],
	securityCode: ["a1B2c3"],
	qrUrl: ["https://authority.example/consultatimbre?rncemisor=990000001&encf=E310000000001&codigoseguridad=a1B2c3"],
	warnings: [[]],
	messages: [[]],
	events: ["invoice.accepted"],
	event: ["invoice.accepted"],
	next: [null],
	partial: [false],
};

/** Candidate values by the end of the member name. */
const byEnding: readonly (readonly [RegExp, unknown])[] = [
	[/(^id|Id|_id)$/, ID],
	[/(At|_at|Until|Before|After|since)$/, TIME],
	[/sha256$/i, SHA256],
	[/url$/i, "https://erp.elprogreso.do/hooks/ecf"],
];

const byFormat: Readonly<Record<string, string>> = {
	"date-time": TIME,
	date: "2026-11-20",
	uuid: ID,
	uri: "https://erp.elprogreso.do/hooks/ecf",
	email: "facturas@elprogreso.do",
};

/** Texts that match most patterns of this domain. */
const texts = ["text", "450.00", "2026-11-20", "25", "E310000000001", "990000001", "010100", ID, "*", "0", "A"];

/**
 * A value that matches the schema, with required members only, because optional ones often exclude each other. Undefined if no value is found; then the
 * operation must declare its example.
 */
export function exampleOf(schema: TSchema, name = ""): unknown {
	if (schema.const !== undefined) return schema.const;
	if (schema.default !== undefined) return schema.default;
	if (Array.isArray(schema.examples)) return schema.examples[0];
	if (Array.isArray(schema.anyOf)) return exampleOfChoice(schema.anyOf, name);
	switch (schema.type) {
		case "object":
			return exampleOfObject(schema, name);
		case "array":
			return firstFit(schema, namedValues(name)) ?? exampleOfArray(schema, name);
		case "null":
			return null;
		case "boolean":
			return firstFit(schema, [...namedValues(name), true]);
		case "integer":
		case "number":
			return firstFit(schema, [...namedValues(name), 1, schema.minimum, schema.maximum]);
		case "string":
			return exampleOfString(schema, name);
		default:
			return undefined;
	}
}

function exampleOfChoice(options: readonly TSchema[], name: string): unknown {
	const named = namedValues(name).find((value) => options.some((option) => fits(option, value)));
	if (named !== undefined) return named;
	if (options.some((option) => option.type === "null")) return null;
	for (const option of options) {
		const example = exampleOf(option, name);
		if (example !== undefined) return example;
	}
	return undefined;
}

function exampleOfObject(schema: TSchema, name: string): unknown {
	const required: readonly string[] = schema.required ?? [];
	const members = required.map((member): [string, unknown] => {
		const own: TSchema = schema.properties?.[member] ?? {};
		const link = name === "_links" ? firstFit(own, [member === "self" ? SELF : `${SELF}/${member}`]) : undefined;
		return [member, link ?? exampleOf(own, member)];
	});
	return members.some(([, example]) => example === undefined) ? undefined : Object.fromEntries(members);
}

function exampleOfArray({ items, minItems = 0 }: TSchema, name: string): unknown {
	const example = items ? exampleOf(items, name) : undefined;
	const list = example === undefined ? [] : [example];
	return list.length < minItems ? undefined : list;
}

function exampleOfString(schema: TSchema, name: string): unknown {
	const { minLength = 0, maxLength, format } = schema;
	const ofFormat = typeof format === "string" ? byFormat[format] : undefined;
	const padded = "text ".repeat(Math.ceil(minLength / 5) + 1).slice(0, maxLength ?? Math.max(minLength, 4));
	return firstFit(schema, ofFormat === undefined ? [...namedValues(name), ...texts, padded] : [ofFormat]);
}

function namedValues(name: string): readonly unknown[] {
	return [...(byName[name] ?? []), ...byEnding.filter(([ending]) => ending.test(name)).map(([, value]) => value)];
}

function firstFit(schema: TSchema, candidates: readonly unknown[]): unknown {
	return candidates.find((candidate) => fits(schema, candidate));
}

/** Ignores formats, because the checker rejects those that are not registered. */
function fits(schema: TSchema, value: unknown): boolean {
	return Value.Check({ ...schema, format: undefined }, value);
}
