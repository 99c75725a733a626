/**
 * The tools. Each calls one operation as the caller would, through the same guard, so a tool can do no more than its caller. A tool whose operation
 * this process does not serve is not offered.
 */
import type { Operation } from "../../platform/operation";
import { createSchemaWriter, type SchemaObject } from "../openapi";

/** The most rows that a result shows, and the most that a request lists. */
export const ROWS_MAX = 50;
const ROWS_DEFAULT = 20;

type Arguments = Readonly<Record<string, unknown>>;

/** What a tool asks of its operation; paths and queries are filled in from its arguments by their names. */
export type Tool = {
	readonly name: string;
	/** The id of its operation. */
	readonly operation: string;
	readonly title: string;
	readonly description: string;
	/** Parameters of the operation that are no arguments. */
	readonly without?: readonly string[];
	/** Arguments besides parameters and body. */
	readonly also?: Readonly<Record<string, SchemaObject>>;
	readonly required?: readonly string[];
	/** The body that the operation gets; absent: the arguments, if it takes a body. */
	readonly toBody?: (given: Arguments) => unknown;
	/** Query parameters that are always sent. */
	readonly query?: Readonly<Record<string, string>>;
	readonly headers?: (given: Arguments) => Readonly<Record<string, string>>;
	/** Changes arguments before they are filled in. */
	readonly prepare?: (given: Arguments) => Arguments;
	/** Absent: it only reads. */
	readonly effect?: "stores" | "issues";
	/** Whether its text is the service's own. */
	readonly isOwnText?: true;
};

const LANGUAGE = { type: "string", enum: ["es", "en"], description: "Language; without it Spanish." };
const INVOICE: SchemaObject = {
	type: "object",
	description:
		'Body as of `POST /v1/invoices`, such as {"type":"32","encf":"auto","company":{"rnc":"…","name":"…"},"lines":[{"line_number":1,"description":"Café",' +
		'"quantity":"1","unit_price":"100.00","subtotal":"100.00"}],"totals":{"subtotal":"100.00","tax":"18.00","grand_total":"118.00"}}. Amounts are strings. ' +
		"Guides: `invoices`, `totals`, `notes`.",
	required: ["type", "encf", "company", "lines", "totals"],
};
const LENIENT: SchemaObject = {
	type: "boolean",
	description: "Go on although a rejection by the authority is certain.",
};
const KEY: SchemaObject = {
	type: "string",
	format: "uuid",
	description: "UUID v4. The same key again makes nothing twice.",
};

const ofInvoice = {
	without: ["Prefer"],
	also: { invoice: INVOICE, lenient: LENIENT },
	required: ["invoice"],
	toBody: ({ invoice }: Arguments) => invoice,
} as const;
const handling = ({ lenient }: Arguments): Record<string, string> =>
	lenient === true ? { prefer: "handling=lenient" } : {};
const inLanguage = (given: Arguments): Arguments => ({ lang: "es", ...given });

const TOOLS: readonly Tool[] = [
	{
		...{ name: "docs_search", operation: "searchDocs", title: "Search the documentation", isOwnText: true },
		description:
			"Finds sections of the guides, operations, problems and codes of the authority. Read a guide with docs_read.",
		also: { lang: LANGUAGE },
		prepare: inLanguage,
	},
	{
		...{ name: "docs_read", operation: "getDocsPage", title: "Read a guide", isOwnText: true },
		description: "A guide as Markdown, by its name, such as `first-invoice`, `invoices`, `totals`, `errors`.",
		also: { lang: LANGUAGE },
		prepare: (given) => inLanguage({ ...given, page: `${String(given.page).replace(/\.md$/, "")}.md` }),
	},
	{
		...{ name: "explain_error", operation: "getProblem", title: "Explain a problem", isOwnText: true },
		description:
			"Cause and fix of a problem of this service, by the last part of its `type`, such as `known-rejection`.",
	},
	{
		...{
			name: "explain_code",
			operation: "getAuthorityCode",
			title: "Explain a code of the authority",
			isOwnText: true,
		},
		description: "Cause and fix of a code with which the authority accepts or rejects documents, such as 614.",
		without: ["Accept-Language"],
	},
	{
		...{ name: "registry_lookup", operation: "getDocument", title: "Look a taxpayer up" },
		description: "A taxpayer's entry in the registry, by RNC or Cédula.",
	},
	{
		...{ name: "registry_search", operation: "searchDocuments", title: "Search taxpayers" },
		description: "Taxpayers by name or number.",
		without: ["highlight"],
	},
	{
		...{ name: "registry_match", operation: "matchDocuments", title: "Match names with taxpayers" },
		description: "The likely taxpayers of names as people write them.",
	},
	{
		...{ name: "registry_batch", operation: "batchDocuments", title: "Look up to 50 taxpayers up" },
		description: "Entries of several numbers at once.",
	},
	{
		...{ name: "invoices_list", operation: "listInvoices", title: "List issued invoices" },
		description: "The company's documents, newest first, filtered by status, buyer, number, day, amount or code.",
		without: ["test_sets"],
	},
	{
		...{ name: "invoice_get", operation: "getInvoice", title: "Read an invoice" },
		description: "One document as it was sent, with its number, its warnings and the authority's answer.",
	},
	{
		...{ name: "invoice_status", operation: "getInvoiceStatus", title: "Read an invoice's verdict" },
		description:
			"Status of one document. After a rejection: what to change (`fix`, `advice`), and with which number (`reissue`). Counts as a poll.",
	},
	{
		...{ name: "invoice_validate", operation: "prepareInvoice", title: "Check an invoice" },
		description: "Checks a body as issuing would, and stores nothing. Says what would happen, or what is wrong.",
		...{
			...ofInvoice,
			without: ["Prefer", "Idempotency-Key", "dry_run"],
			query: { dry_run: "true" },
			headers: handling,
		},
	},
	{
		...{ name: "invoice_prepare", operation: "prepareInvoice", title: "Prepare an invoice for approval" },
		description:
			"Checks a body and stores it for 24 hours. Nothing is issued: a person approves it, such as with `sello prepared approve`.",
		...ofInvoice,
		without: ["Prefer", "Idempotency-Key", "dry_run"],
		also: { ...ofInvoice.also, idempotency_key: KEY },
		headers: (given) => ({ ...handling(given), ...keyOf(given) }),
		effect: "stores",
	},
	{
		...{ name: "prepared_list", operation: "listPreparedInvoices", title: "List prepared invoices" },
		description: "What waits for approval, and what became of the others.",
	},
	{
		...{ name: "events_list", operation: "listEvents", title: "Read the company's events" },
		description: "Events in order, after a position.",
		without: ["wait"],
	},
	{
		...{ name: "sequences_list", operation: "listSequences", title: "List sequences of numbers" },
		description: "Ranges of e-NCF with what is left of them.",
	},
	{
		...{ name: "webhook_deliveries", operation: "listDeliveries", title: "List webhook deliveries" },
		description: "Deliveries to the company's endpoints, with their attempts.",
	},
	{
		...{ name: "received_list", operation: "listReceivedDocuments", title: "List received documents" },
		description: "Documents that other companies issued to this one.",
	},
	{
		...{ name: "report_totals", operation: "getReportTotals", title: "Read a month's totals" },
		description: "Sums of sales and purchases in a period.",
		without: ["format"],
	},
	{
		...{ name: "authority_status", operation: "getAuthorityStatus", title: "Read the authority's status" },
		description: "Whether the authority works, and whether documents are issued in contingency.",
	},
	{
		...{ name: "usage_get", operation: "getUsage", title: "Read the usage" },
		description: "Calls and billable units by day and operation.",
	},
];

/** Only in sandboxes, and only if the operator wants it. */
const ISSUE_AT_ONCE: Tool = {
	...{ name: "invoice_issue", operation: "postInvoice", title: "Issue an invoice at once" },
	description: "Issues a body in this sandbox without anybody's approval.",
	...ofInvoice,
	without: ["Prefer", "Idempotency-Key", "dry_run", "print", "width"],
	also: { ...ofInvoice.also, idempotency_key: KEY },
	required: ["invoice", "idempotency_key"],
	headers: (given) => ({ ...handling(given), ...keyOf(given) }),
	effect: "issues",
};

function keyOf({ idempotency_key: key }: Arguments): Record<string, string> {
	return typeof key === "string" ? { "idempotency-key": key } : {};
}

export type OfferedTool = Tool & { readonly of: Operation; readonly inputSchema: SchemaObject };

/** The tools of the operations that this process serves. */
export function offerTools(operations: readonly Operation[], issuesAtOnce: boolean): ReadonlyMap<string, OfferedTool> {
	const byId = new Map(operations.map((operation) => [operation.id, operation]));
	const offered = (issuesAtOnce ? [...TOOLS, ISSUE_AT_ONCE] : TOOLS).flatMap((tool): OfferedTool[] => {
		const of = byId.get(tool.operation);
		return of ? [{ ...tool, of, inputSchema: toInputSchema(tool, of) }] : [];
	});
	return new Map(offered.map((tool) => [tool.name, tool]));
}

const argumentsOf = ({ without = [] }: Tool, { parameters = [] }: Operation) =>
	parameters.filter(({ name, in: place }) => place !== "header" && !without.includes(name));

function toInputSchema(tool: Tool, of: Operation): SchemaObject {
	const { toPlain } = createSchemaWriter();
	const parameters = argumentsOf(tool, of);
	const body = of.body && !tool.toBody ? toPlain(of.body.schema) : {};
	const ofBody = (body.properties ?? {}) as Readonly<Record<string, SchemaObject>>;
	const properties = {
		...Object.fromEntries(
			parameters.map((one) => [one.name, { ...toPlain(one.schema), description: one.description }]),
		),
		...Object.fromEntries(Object.entries(ofBody).map(([name, schema]) => [name, limitItems(schema)])),
		...tool.also,
	};
	if ("limit" in properties && !of.body) {
		properties.limit = { type: "integer", minimum: 1, maximum: ROWS_MAX, description: `Rows, 1 to ${ROWS_MAX}.` };
	}
	const own = Object.keys(tool.also ?? {});
	const required = [
		...parameters.filter((one) => one.required && !own.includes(one.name)).map(({ name }) => name),
		...((body.required as readonly string[] | undefined) ?? []),
		...(tool.required ?? []),
	];
	return { type: "object", properties, required, additionalProperties: false };
}

function limitItems(schema: SchemaObject): SchemaObject {
	return schema.type === "array"
		? { ...schema, maxItems: Math.min(ROWS_MAX, Number(schema.maxItems ?? ROWS_MAX)) }
		: schema;
}

/** The arguments cannot be used; the message is for the agent. */
export class ArgumentError extends Error {}

/** The request to the tool's operation. Throws: ArgumentError. */
export function toRequest(tool: OfferedTool, given: Arguments, baseUrl: string): Request {
	const { of, inputSchema, prepare = (same: Arguments) => same, query = {}, headers, toBody } = tool;
	checkArguments(inputSchema, given);
	const values = prepare(given);
	const url = new URL(baseUrl);
	let { path } = of;
	const search = new URLSearchParams(query);
	const parameters = argumentsOf(tool, of);
	for (const { name, in: place } of parameters) {
		const value = values[name];
		if (value === undefined) continue;
		if (place === "path") path = path.replace(`{${name}}`, encodeURIComponent(String(value)));
		else search.set(name, String(value));
	}
	if (parameters.some(({ name }) => name === "limit") && !search.has("limit"))
		search.set("limit", String(ROWS_DEFAULT));
	url.pathname = path;
	url.search = search.toString();
	const body = of.body ? JSON.stringify(toBody ? toBody(given) : given) : undefined;
	return new Request(url.href, {
		method: of.method,
		headers: { ...(body === undefined ? {} : { "content-type": "application/json" }), ...headers?.(given) },
		...(body === undefined ? {} : { body }),
	});
}

function checkArguments({ properties, required }: SchemaObject, given: Arguments): void {
	const known = properties as Readonly<Record<string, SchemaObject>>;
	for (const [name, value] of Object.entries(given)) {
		const schema = known[name];
		if (!schema) throw new ArgumentError(`There is no argument \`${name}\`. Send: ${Object.keys(known).join(", ")}.`);
		if (name === "limit" && !(Number(value) >= 1 && Number(value) <= Number(schema.maximum)))
			throw new ArgumentError(`\`limit\` is 1 to ${schema.maximum}.`);
		if (Array.isArray(value) && value.length > Number(schema.maxItems ?? Number.POSITIVE_INFINITY))
			throw new ArgumentError(`\`${name}\` has ${schema.maxItems} items at most.`);
	}
	for (const name of required as readonly string[])
		if (given[name] === undefined) throw new ArgumentError(`The argument \`${name}\` is required.`);
}
