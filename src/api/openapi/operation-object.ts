/** One operation of the document: parameters, body, answers, headers and security. */
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
		...(operation.sdk ? { "x-sdk": operation.sdk } : {}),
		...(parameters.length > 0
			? { parameters: parameters.map((parameter) => toParameter(parameter, collected, writer)) }
			: {}),
		...(body && collected.body
			? { requestBody: { required: body.required, content: toBodyContent(body, collected.body, writer) } }
			: {}),
		responses: addDeprecation(operation, toResponses(operation, collected)),
	};
}

function toParameter(parameter: Parameter, collected: CollectedOperation, writer: SchemaWriter): ParameterObject {
	const { name, required, description } = parameter;
	const found = collected.parameters.find((one) => one.name === name && one.in === parameter.in);
	if (!found) throw new Error(`the parameter ${name} was not collected`);
	// The description stands beside the schema.
	const { description: _, ...schema } = writer.toPlain(found.schema);
	// Documentation pages send examples, so an optional parameter has one only if the operation declares it.
	const example = parameter.example ?? (required ? exampleOf(parameter.schema, name) : undefined);
	return { name, in: parameter.in, required, description, schema, ...(example === undefined ? {} : { example }) };
}

/** Success and problems with the same status share an answer; their media types distinguish them. */
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

/** A schema describes JSON. If the answer has another media type, the schema is that of the JSON for callers that prefer it. */
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

/** Media types with a form of their own have their own schema, for generated clients. */
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

function addDeprecation(
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

/** Headers that a 304 repeats from the 200. Source: RFC 9110, 15.4.5. */
const KEPT_BY_304: readonly string[] = ["etag", "cache-control", "content-language"];

/** Headers by name that follow from other declarations of the operation; the answer's own declarations take precedence. */
export function impliedHeaders({ answers, parameters = [] }: Operation, status: string): Record<string, string> {
	if (status === "304") {
		const whole = Object.entries(answers[200]?.headers ?? {});
		return Object.fromEntries(whole.filter(([name]) => KEPT_BY_304.includes(name.toLowerCase())));
	}
	const isRepeatable = parameters.some(({ name }) => name === "Idempotency-Key");
	if (status !== "200" || !isRepeatable) return {};
	// A replay is the stored first answer with its headers, without waiting.
	const { "Preference-Applied": _, ...first } = (answers[201] ?? answers[202])?.headers ?? {};
	return { ...first, "Idempotency-Replayed": "`true` for a replayed answer." };
}

const scopeDescriptions: Readonly<Record<Scope, string>> = {
	"invoices:write": "Issue invoices.",
	"invoices:read": "Read invoices and their status.",
	"invoices:prepare": "Prepare invoices for another's approval.",
	"company:read": "Read companies.",
	"company:write": "Create and change companies.",
	"keys:read": "List API keys.",
	"keys:write": "Create, rotate and revoke API keys.",
	"certification:read": "Read certification test sets.",
	"certification:write": "Run certification test sets.",
	"webhooks:read": "Read webhook endpoints and deliveries.",
	"webhooks:write": "Change webhook endpoints and resend deliveries.",
	"webhooks:test": "Send a test webhook.",
	"events:read": "Read the events feed.",
	"sequences:read": "Read number sequences.",
	"sequences:write": "Register, lease and void number sequences.",
	"documents:receive": "Receive documents from other issuers.",
	"approvals:write": "Approve or reject received documents.",
	"reports:read": "Read reports.",
	"usage:read": "Read usage.",
	"audit:read": "Read the audit log.",
	"registry:read": "Look up and search taxpayers.",
	"registry:purge": "Erase a taxpayer's entry.",
	"watchlists:read": "Read watchlists and their changes.",
	"watchlists:write": "Change watchlists.",
	"archive:read": "Read and export the archive.",
	"portal:write": "Embed the portal.",
	"sandbox:write": "Control the sandbox.",
	admin: "Operate the service.",
};

export function securitySchemes(baseUrl: string) {
	return {
		apiKey: { type: "apiKey", in: "header", name: "x-api-key", description: "Identifies the customer." },
		bearer: {
			type: "http",
			scheme: "bearer",
			bearerFormat: "JWT",
			description: "Identifies the company: an access token of `POST /v1/auth/token`.",
		},
		session: {
			type: "apiKey",
			in: "cookie",
			name: "__Host-sello",
			description:
				"A person's session in the console. It stands for key and token too: such a request names its company in `X-Company`.",
		},
		oauth2: {
			type: "oauth2",
			description: "The same access token, obtained by an OAuth client.",
			flows: { clientCredentials: { tokenUrl: `${baseUrl}/v1/auth/token`, scopes: scopeDescriptions } },
		},
	};
}

type Choice = Readonly<Record<string, readonly string[]>>;
const NONE: Choice = {};

/** Every set of credentials that the operation accepts, the smallest first; an empty list for public operations. */
export function toSecurity({ credentials, scope }: Operation): SecurityRequirement[] {
	const scopes = scope ? [scope] : [];
	if (credentials.session) return [{ session: [] }];
	const keys = choices(credentials.key, [{ apiKey: scopes }]);
	const bearers = choices(credentials.bearer, [{ bearer: scopes }, { oauth2: scopes }]);
	const sets = keys.flatMap((key) => bearers.map((bearer) => ({ ...key, ...bearer })));
	return sets.length === 1 && Object.keys(sets[0] ?? {}).length === 0 ? [] : sets;
}

function choices(need: CredentialNeed, schemes: readonly Choice[]): readonly Choice[] {
	if (need === "ignored") return [NONE];
	return need === "required" ? schemes : [NONE, ...schemes];
}
