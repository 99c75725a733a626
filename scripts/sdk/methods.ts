/** The methods of the client libraries, read from the OpenAPI document; the generators of all languages begin here. */
import type {
	OpenApiDocument,
	OperationObject,
	ParameterObject,
	ResponseObject,
	SchemaObject,
} from "../../src/api/openapi";

export type SdkMethod = {
	readonly resource: string;
	readonly verb: string;
	readonly operationId: string;
	readonly summary: string;
	readonly description: string | undefined;
	readonly httpMethod: string;
	readonly path: string;
	readonly pathParameters: readonly ParameterObject[];
	readonly query: readonly ParameterObject[];
	/** Absent without a body. `isJson` is false for texts and files, which are sent as they are with the first media type by default. */
	readonly body:
		| {
				readonly isJson: boolean;
				readonly mediaType: string;
				readonly required: boolean;
				readonly schema: SchemaObject | undefined;
		  }
		| undefined;
	/** `page`: a list whose member `items` holds the items, and which takes `after`. `file`: bytes. `nothing`: 204. */
	readonly result:
		| { readonly kind: "json" | "file" | "nothing"; readonly schema?: SchemaObject }
		| { readonly kind: "page"; readonly schema: SchemaObject; readonly items: string };
	/** The answer is also a stream of server-sent events. */
	readonly isStream: boolean;
	/** Header options: `idempotencyKey`, `ifMatch`, `prefer`, `scenario`. */
	readonly takes: ReadonlySet<HeaderOption>;
	/** What is sent: a bearer token only where the operation requires one, the key wherever it is read. */
	readonly sendsKey: boolean;
	readonly sendsToken: boolean;
};

const HEADER_OPTIONS = {
	"Idempotency-Key": "idempotencyKey",
	"If-Match": "ifMatch",
	Prefer: "wait",
	"X-Sandbox-Scenario": "scenario",
} as const;
export type HeaderOption = (typeof HEADER_OPTIONS)[keyof typeof HEADER_OPTIONS];

/** Members that hold the items of a page. */
const ITEMS = ["items", "runs", "changes"];

/** All methods, by resource and then in the order of the document. Throws an Error for an operation that fits no form. */
export function readMethods(document: OpenApiDocument): SdkMethod[] {
	const all = Object.entries(document.paths).flatMap(([path, operations]) =>
		Object.entries(operations).flatMap(([httpMethod, operation]) => {
			const name = operation["x-sdk"];
			return name === undefined ? [] : [toMethod(document, name, httpMethod.toUpperCase(), path, operation)];
		}),
	);
	return [...Map.groupBy(all, ({ resource }) => resource).values()].flat();
}

/** Every operation below `/v1`, whether the client libraries have it or not, except pages. Throws like `readMethods`. */
export function readCalls(document: OpenApiDocument): SdkMethod[] {
	return Object.entries(document.paths).flatMap(([path, operations]) =>
		Object.entries(operations).flatMap(([httpMethod, operation]) => {
			const isPage = "text/html" in contentOf(document, operation.responses["200"]);
			return path.startsWith("/v1/") && !isPage
				? [toMethod(document, "", httpMethod.toUpperCase(), path, operation)]
				: [];
		}),
	);
}

function toMethod(
	document: OpenApiDocument,
	name: string,
	httpMethod: string,
	path: string,
	operation: OperationObject,
): SdkMethod {
	const [resource = "", verb = ""] = name.split(".");
	const { parameters = [], security, operationId, summary, description } = operation;
	const query = parameters.filter((one) => one.in === "query");
	const option = (header: string) => (HEADER_OPTIONS as Readonly<Record<string, HeaderOption>>)[header];
	return {
		...{ resource, verb, operationId, summary, description, httpMethod, path, query },
		pathParameters: parameters.filter((one) => one.in === "path"),
		body: toBody(operation),
		result: toResult(document, operation, query),
		isStream: "text/event-stream" in contentOf(document, operation.responses["200"]),
		takes: new Set(parameters.flatMap((one) => (one.in === "header" ? (option(one.name) ?? []) : []))),
		sendsKey: security.some((set) => "apiKey" in set),
		sendsToken: security.length > 0 && security.every((set) => "bearer" in set || "oauth2" in set),
	};
}

function contentOf(
	{ components }: OpenApiDocument,
	answer: OperationObject["responses"][string] | undefined,
): NonNullable<ResponseObject["content"]> {
	const found = answer && "$ref" in answer ? components.responses[answer.$ref.split("/").at(-1) ?? ""] : answer;
	return found?.content ?? {};
}

function toBody({ requestBody }: OperationObject): SdkMethod["body"] {
	if (!requestBody) return undefined;
	const [mediaType = "", content] = Object.entries(requestBody.content)[0] ?? [];
	const isJson = /[/+]json$/.test(mediaType);
	return { isJson, mediaType, required: requestBody.required, schema: content?.schema };
}

function toResult(
	document: OpenApiDocument,
	operation: OperationObject,
	query: readonly ParameterObject[],
): SdkMethod["result"] {
	const successes = Object.entries(operation.responses).filter(([status]) => status.startsWith("2"));
	const contents = successes.map(([, answer]) => contentOf(document, answer));
	const [mediaType] = Object.keys(contents[0] ?? {});
	if (mediaType === undefined) return { kind: "nothing" };
	const isJson = /[/+]json$/.test(mediaType) || mediaType === "text/html";
	if (!isJson) return { kind: "file" };
	const schemas = contents.flatMap((content): SchemaObject[] => {
		const found = content["application/json"] ?? Object.entries(content).find(([type]) => type.endsWith("+json"))?.[1];
		return found?.schema ? [found.schema] : [];
	});
	const distinct = [...new Map(schemas.map((schema) => [JSON.stringify(schema), schema])).values()];
	const [schema] = distinct;
	if (!schema) throw new Error(`${operation.operationId} answers JSON without a schema`);
	if (query.some(({ name }) => name === "after")) {
		const { properties = {} } = resolve(document, schema) as { properties?: Readonly<Record<string, SchemaObject>> };
		const items = ITEMS.find((name) => properties[name]?.type === "array");
		if (items && "next" in properties) return { kind: "page", schema, items };
	}
	return { kind: "json", schema: distinct.length > 1 ? { anyOf: distinct } : schema };
}

export function resolve(document: OpenApiDocument, schema: SchemaObject): SchemaObject {
	if (typeof schema.$ref !== "string") return schema;
	const found = document.components.schemas[schema.$ref.split("/").at(-1) ?? ""];
	if (!found) throw new Error(`${schema.$ref} leads nowhere`);
	return found;
}
