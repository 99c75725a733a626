/** One operation as the document shows it. */
import { limitClassOf } from "../../identity/rate-limits";
import type { Answer, BodyRule, CredentialNeed, Operation, Parameter, Scope } from "../../platform/operation";
import type { CollectedOperation } from "./collect";
import type {
	Content,
	MediaType,
	OperationObject,
	ParameterObject,
	Reference,
	ResponseObject,
	SecurityRequirement,
} from "./document";
import { exampleOf } from "./example";
import type { SchemaWriter } from "./plain-schema";
import { problemsOf, referToHeader, toProblemResponses } from "./problems";

const DEPRECATION_HEADERS = ["Deprecation", "Sunset", "Link"] as const;

export function toOperationObject(
	operation: Operation,
	collected: CollectedOperation,
	writer: SchemaWriter,
): OperationObject {
	const { body, parameters = [], scope, description, deprecation } = operation;
	return {
		operationId: operation.id,
		tags: [operation.tag],
		summary: operation.summary,
		...(description ? { description } : {}),
		...(deprecation ? { deprecated: true as const } : {}),
		security: toSecurity(operation),
		...(scope ? { "x-scope": scope } : {}),
		...(parameters.length > 0
			? { parameters: parameters.map((parameter) => toParameter(parameter, collected, writer)) }
			: {}),
		...(body && collected.body
			? { requestBody: { required: body.required, content: toBodyContent(body, collected.body, writer) } }
			: {}),
		responses: tellDeprecation(operation, toResponses(operation, collected)),
	};
}

function toParameter(parameter: Parameter, collected: CollectedOperation, writer: SchemaWriter): ParameterObject {
	const { name, required, description } = parameter;
	const found = collected.parameters.find((one) => one.name === name && one.in === parameter.in);
	if (!found) throw new Error(`the parameter ${name} was not collected`);
	// The sentence stands beside the schema; once is enough.
	const { description: _, ...schema } = writer.toPlain(found.schema);
	// Documentation pages send the example along, so an optional parameter has one only where the operation gives it.
	const example = parameter.example ?? (required ? exampleOf(parameter.schema, name) : undefined);
	return { name, in: parameter.in, required, description, schema, ...(example === undefined ? {} : { example }) };
}

/** Success and problems of one status stand side by side, told apart by their media types. */
function toResponses(operation: Operation, collected: CollectedOperation): Record<string, ResponseObject> {
	const responses = toProblemResponses(problemsOf(operation));
	for (const [status, answer] of Object.entries(operation.answers)) {
		const headers = { ...impliedHeaders(operation, status), ...answer.headers };
		const own = toResponse({ ...answer, headers }, collected.answers[status]);
		const problem = responses[status];
		responses[status] = problem
			? {
					description: `${own.description}\n\n${problem.description}`,
					headers: { ...problem.headers, ...own.headers },
					content: { ...own.content, ...problem.content },
				}
			: own;
	}
	return limitClassOf(operation) ? withLimits(responses) : responses;
}

/** Who is refused hears how often that may happen. */
function withLimits(responses: Readonly<Record<string, ResponseObject>>): Record<string, ResponseObject> {
	const limits = { "RateLimit-Policy": referToHeader("RateLimit-Policy"), RateLimit: referToHeader("RateLimit") };
	return Object.fromEntries(
		Object.entries(responses).map(([status, response]) => {
			return [status, { ...response, headers: { ...limits, ...response.headers } }];
		}),
	);
}

function toResponse(answer: Answer, schema: Reference | undefined): ResponseObject {
	const headers = Object.entries(answer.headers ?? {}).map(
		([name, description]) => [name, { description, schema: { type: "string" } }] as const,
	);
	const content = toAnswerContent(answer, schema);
	return {
		description: answer.description,
		headers: { ...Object.fromEntries(headers), "X-Request-Id": referToHeader("X-Request-Id") },
		...(Object.keys(content).length > 0 ? { content } : {}),
	};
}

/**
 * A schema describes JSON. Where an answer names another media type, the schema is that of the JSON which callers get who
 * prefer it.
 */
function toAnswerContent(answer: Answer, reference: Reference | undefined): Content {
	const further = (answer.alsoMediaTypes ?? []).map((mediaType) => [mediaType, { schema: { type: "string" } }]);
	return { ...toMainContent(answer, reference), ...Object.fromEntries(further) };
}

function toMainContent({ mediaType, schema, example }: Answer, reference: Reference | undefined): Content {
	const json = reference && schema ? toContent(["application/json"], reference, example ?? exampleOf(schema)) : {};
	if (mediaType === undefined || mediaType === "application/json") return json;
	if (/[/+]json$/.test(mediaType)) return { [mediaType]: json["application/json"] ?? {} };
	const own: MediaType = /^text\/|[/+]xml$/.test(mediaType) ? { schema: { type: "string" } } : {};
	return { [mediaType]: schema || example === undefined ? own : { ...own, example }, ...json };
}

/** Where a media type has a form of its own, clients that are generated must send that one. */
function toBodyContent(
	{ mediaTypes, example, otherForms = {} }: BodyRule,
	schema: Reference,
	writer: SchemaWriter,
): Content {
	const others = Object.entries(otherForms).map(([mediaType, form]) => {
		return [mediaType, { schema: writer.toPlain(form.schema), example: form.example }] as const;
	});
	return { ...toContent(mediaTypes, schema, example), ...Object.fromEntries(others) };
}

function toContent(mediaTypes: readonly string[], schema: Reference, example: unknown): Content {
	const media: MediaType = { schema, ...(example === undefined ? {} : { example }) };
	return Object.fromEntries(mediaTypes.map((mediaType) => [mediaType, media]));
}

/** Every answer of a deprecated operation carries its end. */
function tellDeprecation(
	{ deprecation }: Operation,
	responses: Record<string, ResponseObject>,
): Record<string, ResponseObject> {
	if (!deprecation) return responses;
	const headers = Object.fromEntries(DEPRECATION_HEADERS.map((name) => [name, referToHeader(name)]));
	return Object.fromEntries(
		Object.entries(responses).map(([status, response]) => [
			status,
			{ ...response, headers: { ...response.headers, ...headers } },
		]),
	);
}

/** Headers of an answer that follow from what its operation declares elsewhere, so that no operation has to tell them again. */

/** What a 304 has of the answer whose body it leaves out. Source: RFC 9110, 15.4.5. */
const KEPT_BY_304: readonly string[] = ["etag", "cache-control", "content-language"];

/** By name, with their sentences; what the answer itself declares comes before them. */
export function impliedHeaders({ answers, parameters = [] }: Operation, status: string): Record<string, string> {
	if (status === "304") {
		const whole = Object.entries(answers[200]?.headers ?? {});
		return Object.fromEntries(whole.filter(([name]) => KEPT_BY_304.includes(name.toLowerCase())));
	}
	const isRepeatable = parameters.some(({ name }) => name === "Idempotency-Key");
	if (status !== "200" || !isRepeatable) return {};
	// A repeat is answered with what was stored of the first answer, its headers included; it is not waited for.
	const { "Preference-Applied": _, ...first } = (answers[201] ?? answers[202])?.headers ?? {};
	return { ...first, "Idempotency-Replayed": "`true` for a repeat." };
}

/** Who may call an operation, in the words of OpenAPI. */

const scopeDescriptions: Readonly<Record<Scope, string>> = {
	"invoices:write": "Issue invoices.",
	"invoices:read": "Read invoices and their status.",
	"company:read": "Read companies.",
	"company:write": "Register and change companies.",
	"keys:read": "List API keys.",
	"keys:write": "Make, rotate and revoke API keys.",
	"certification:read": "Read certification test sets.",
	"certification:write": "Run certification test sets.",
	"webhooks:read": "Read webhook endpoints and deliveries.",
	"webhooks:write": "Change webhook endpoints and send deliveries again.",
	"webhooks:test": "Send a test webhook.",
	"events:read": "Read the events feed.",
	"sequences:read": "Read number sequences.",
	"sequences:write": "Register, lease and void number sequences.",
	"documents:receive": "Receive documents of other issuers.",
	"approvals:write": "Approve or reject received documents.",
	"reports:read": "Read reports.",
	"usage:read": "Read usage.",
	"audit:read": "Read the audit log.",
	"registry:read": "Look taxpayers up and search them.",
	"registry:purge": "Erase a taxpayer's entry.",
	"archive:read": "Read and export the archive.",
	"sandbox:write": "Control the sandbox.",
	admin: "Operate the service.",
};

export function securitySchemes(baseUrl: string) {
	return {
		apiKey: { type: "apiKey", in: "header", name: "x-api-key", description: "Names the customer who calls." },
		bearer: {
			type: "http",
			scheme: "bearer",
			bearerFormat: "JWT",
			description: "Names the company that the call is for: an access token of `POST /v1/auth/token`.",
		},
		oauth2: {
			type: "oauth2",
			description: "The same access token, asked for by an OAuth client.",
			flows: { clientCredentials: { tokenUrl: `${baseUrl}/v1/auth/token`, scopes: scopeDescriptions } },
		},
	};
}

type Choice = Readonly<Record<string, readonly string[]>>;
const NONE: Choice = {};

/** Every set of credentials that opens the operation; the first is the least. An empty list: anybody. */
export function toSecurity({ credentials, scope }: Operation): SecurityRequirement[] {
	const scopes = scope ? [scope] : [];
	const keys = choices(credentials.key, [{ apiKey: scopes }]);
	const bearers = choices(credentials.bearer, [{ bearer: scopes }, { oauth2: scopes }]);
	const sets = keys.flatMap((key) => bearers.map((bearer) => ({ ...key, ...bearer })));
	return sets.length === 1 && Object.keys(sets[0] ?? {}).length === 0 ? [] : sets;
}

function choices(need: CredentialNeed, schemes: readonly Choice[]): readonly Choice[] {
	if (need === "ignored") return [NONE];
	return need === "required" ? schemes : [NONE, ...schemes];
}
