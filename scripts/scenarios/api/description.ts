/** Reads a running service's OpenAPI document as a client would: operations, schemas and problems. */

export type Schema = Readonly<Record<string, unknown>>;

export type ApiParameter = {
	readonly name: string;
	readonly in: "path" | "query" | "header";
	readonly required: boolean;
	readonly schema: Schema;
	readonly example?: unknown;
};

export type ApiMedia = { readonly schema?: Schema; readonly example?: unknown };

export type ApiAnswer = {
	/** Schemas by media type; empty if the answer has no body. */
	readonly content: ReadonlyMap<string, ApiMedia>;
	/** Problem slugs documented for the status. */
	readonly slugs: ReadonlySet<string>;
};

export type Need = "required" | "optional" | "ignored";

export type ApiOperation = {
	readonly id: string;
	/** `GET /v1/invoices/{docId}`. */
	readonly name: string;
	readonly method: string;
	readonly path: string;
	readonly parameters: readonly ApiParameter[];
	readonly body?: { readonly required: boolean; readonly content: ReadonlyMap<string, ApiMedia> };
	readonly answers: ReadonlyMap<number, ApiAnswer>;
	readonly key: Need;
	readonly bearer: Need;
	readonly scope?: string;
};

export type Description = {
	readonly operations: readonly ApiOperation[];
	/** Follows a schema's reference, if it is one. */
	readonly resolve: (schema: Schema) => Schema;
	/** The schema of every problem document. */
	readonly problem: Schema;
};

type Document = {
	readonly paths: Readonly<Record<string, Readonly<Record<string, OperationObject>>>>;
	readonly components: {
		readonly schemas: Readonly<Record<string, Schema>>;
		readonly responses: Readonly<Record<string, Answer>>;
	};
};
type Content = Readonly<
	Record<string, { schema?: Schema; example?: unknown; examples?: Readonly<Record<string, unknown>> }>
>;
type OperationObject = {
	readonly operationId: string;
	readonly security: readonly Readonly<Record<string, unknown>>[];
	readonly "x-scope"?: string;
	readonly parameters?: readonly ApiParameter[];
	readonly requestBody?: { readonly required: boolean; readonly content: Content };
	readonly responses: Readonly<Record<string, Answer | { readonly $ref: string }>>;
};
type Answer = { readonly content?: Content };

export async function fetchDescription(url: string): Promise<Description> {
	const answer = await fetch(`${url}/openapi.json`);
	if (!answer.ok) throw new Error(`the service does not describe itself: ${answer.status}`);
	return readDescription(await answer.json());
}

export function readDescription(document: unknown): Description {
	const { paths, components } = document as Document;
	const resolve = (schema: Schema): Schema => {
		if (typeof schema.$ref !== "string") return schema;
		const name = schema.$ref.replace("#/components/schemas/", "");
		const found = components.schemas[name];
		if (!found) throw new Error(`the document refers to ${schema.$ref}, which it does not hold`);
		return resolve(found);
	};
	const answerOf = (answer: Answer | { readonly $ref: string }): Answer => {
		if (!("$ref" in answer)) return answer;
		const found = components.responses[answer.$ref.replace("#/components/responses/", "")];
		if (!found) throw new Error(`the document refers to ${answer.$ref}, which it does not hold`);
		return found;
	};
	const operations = Object.entries(paths).flatMap(([path, methods]) =>
		Object.entries(methods).map(([method, object]) => toOperation(method.toUpperCase(), path, object, answerOf)),
	);
	return { operations, resolve, problem: resolve({ $ref: "#/components/schemas/Problem" }) };
}

function toOperation(
	method: string,
	path: string,
	object: OperationObject,
	answerOf: (answer: OperationObject["responses"][string]) => Answer,
): ApiOperation {
	const { requestBody, security } = object;
	const scope = object["x-scope"];
	return {
		...{ id: object.operationId, name: `${method} ${path}`, method, path, parameters: object.parameters ?? [] },
		...(requestBody ? { body: { required: requestBody.required, content: toContent(requestBody.content) } } : {}),
		answers: new Map(
			Object.entries(object.responses).map(([status, answer]) => {
				const { content = {} } = answerOf(answer);
				const slugs = new Set(Object.values(content).flatMap(({ examples = {} }) => Object.keys(examples)));
				return [Number(status), { content: toContent(content), slugs }];
			}),
		),
		key: needOf(security, ["apiKey"]),
		bearer: needOf(security, ["bearer", "oauth2"]),
		...(scope === undefined ? {} : { scope }),
	};
}

/** Whether it is required in every alternative, in some, or in none. */
function needOf(security: OperationObject["security"], schemes: readonly string[]): Need {
	const having = security.filter((set) => schemes.some((scheme) => scheme in set));
	if (having.length === 0) return "ignored";
	return having.length === security.length ? "required" : "optional";
}

function toContent(content: Content): Map<string, ApiMedia> {
	return new Map(Object.entries(content));
}
