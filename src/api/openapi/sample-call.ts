/** A call that serves as a sample: an operation with a value for each of its places. */
import type { Operation, Parameter } from "../../platform/operation";
import { exampleOf } from "./example";

export type SampleCall = {
	readonly operation: Operation;
	/** Values of the path's parameters, in order. */
	readonly path: readonly (readonly [name: string, value: string])[];
	readonly query: Readonly<Record<string, string>>;
	/** Headers that the operation requires, besides credentials. */
	readonly headers: Readonly<Record<string, string>>;
	/** Seconds to wait for the result, where the operation offers that. */
	readonly wait?: number;
	/** With its media type. A JSON body is the value itself. */
	readonly body?: { readonly mediaType: string; readonly value: unknown };
};

/** What takes the place of the declared examples. */
export type SampleValues = {
	readonly path?: Readonly<Record<string, string>>;
	readonly query?: Readonly<Record<string, string>>;
	readonly headers?: Readonly<Record<string, string>>;
	readonly body?: unknown;
	readonly mediaType?: string;
};

/** Company of the token; pages fill in its number. */
const COMPANY = { rnc: "{{company_rnc}}", name: "EMPRESA DE DEMOSTRACION SRL" };

type Json = Readonly<Record<string, unknown>>;

/** The service numbers the document, so that the sample works more than once. */
const toAnyTime = ({ client_request_id: _, ...invoice }: Json) => ({ ...invoice, encf: "auto", company: COMPANY });

/** Examples that work with the reader's credentials where the declared ones name others'. */
const CHANGES: Readonly<Record<string, (example: Json) => unknown>> = {
	postToken: () => ({
		grant_type: "client_credentials",
		client_id: "{{client_id}}",
		client_secret: "{{client_secret}}",
	}),
	postInvoice: toAnyTime,
	prepareInvoice: toAnyTime,
	batchInvoices: ({ invoices }) => ({ invoices: (invoices as readonly Json[]).map(toAnyTime) }),
	attestDocument: (attestation) => ({ ...attestation, requester: { rnc: COMPANY.rnc } }),
	verifyAttestation: (attestation) => ({ ...attestation, requester: COMPANY.rnc }),
	convertLegacyInvoice: ({ tenantId: _, ...invoice }) => invoice,
};

/** The documented call of an operation. Throws: Error for a required place without an example. */
export function toSampleCall(operation: Operation, values: SampleValues = {}): SampleCall {
	const { id, parameters = [], body } = operation;
	const mediaType = values.mediaType ?? body?.mediaTypes[0];
	const fill = (parameter: Parameter, given: Readonly<Record<string, string>> = {}) => {
		const value = given[parameter.name] ?? parameter.example ?? exampleOf(parameter.schema, parameter.name);
		if (value === undefined) throw new Error(`${id}: the parameter ${parameter.name} has no example`);
		return String(value);
	};
	const place = (where: Parameter["in"], given: Readonly<Record<string, string>> = {}) =>
		Object.fromEntries(
			parameters
				.filter(({ name, required, in: at }) => at === where && (required || given[name] !== undefined))
				.filter(({ name }) => name !== "Idempotency-Key")
				.map((one) => [one.name, fill(one, given)]),
		);
	const example = body?.otherForms?.[mediaType ?? ""]?.example ?? body?.example;
	const change = CHANGES[id];
	return {
		operation,
		path: parameters.filter((one) => one.in === "path").map((one) => [one.name, fill(one, values.path)]),
		query: place("query", values.query),
		headers: place("header", values.headers),
		...(id === "postInvoice" ? { wait: 10 } : {}),
		...(mediaType === undefined
			? {}
			: { body: { mediaType, value: values.body ?? (change ? change(example as Json) : example) } }),
	};
}
