/** The JSON Schema of each document type's request, for callers that validate before they send. */

import { Type } from "@sinclair/typebox";
import { ECF_TYPES, type EcfType, toTypeSchema } from "../../../ecf/mapping";
import { type Call, type Operation, PUBLIC, pathParameter } from "../../../platform/operation";
import { msg, Problem } from "../../../platform/problem";
import { DOCUMENTATION_TAG } from "../../html";
import { createSchemaWriter } from "../../openapi";
import { answerRepresentation, CACHE_HEADERS, CONDITIONAL, type Representation, represent } from "../../representation";

const DIALECT = "https://json-schema.org/draft/2020-12/schema";
const MEDIA_TYPE = "application/schema+json";
/** Schemas change with a release only. */
const CACHE_CONTROL = "public, max-age=3600";
const HEADERS = { ...CACHE_HEADERS, "Cache-Control": `\`${CACHE_CONTROL}\`` };

/** `GET /v1/schemas/{type}`: public. `baseUrl` has no trailing slash. */
export function schemaOperations({ baseUrl }: { readonly baseUrl: string }): Operation[] {
	const made = new Map<EcfType, Representation>();
	const find = (type: EcfType): Representation => {
		const found = made.get(type) ?? representSchema(type, baseUrl);
		made.set(type, found);
		return found;
	};
	return [
		{
			id: "getRequestSchema",
			sdk: "service.getRequestSchema",
			method: "GET",
			path: "/v1/schemas/{type}",
			tag: DOCUMENTATION_TAG,
			summary: "Get the JSON Schema of a request",
			description:
				"Draft 2020-12, generated from the schema that validates requests. It rejects nothing that the service accepts. Only the service checks " +
				"sums, dates and the authority's own rules.",
			credentials: PUBLIC,
			parameters: [
				pathParameter("type", "e-CF type.", "31", Type.Union(ECF_TYPES.map((type) => Type.Literal(type)))),
				CONDITIONAL,
			],
			answers: {
				200: {
					description: "The schema.",
					mediaType: MEDIA_TYPE,
					schema: Type.Object({ $schema: Type.String(), $id: Type.String(), title: Type.String() }),
					example: { $schema: DIALECT, $id: `${baseUrl}/v1/schemas/31`, title: "…", type: "object" },
					headers: HEADERS,
				},
				304: { description: "Not modified.", headers: HEADERS },
			},
			problems: ["not-found"],
			handle: (call) => answerRepresentation(call, find(typeOf(call))),
		},
	];
}

/** Throws: not-found. */
function typeOf(call: Call): EcfType {
	const type = ECF_TYPES.find((known) => known === call.params.type);
	if (!type) throw new Problem("not-found", { detail: msg`Types with a schema: ${ECF_TYPES.join(", ")}.` });
	return type;
}

function representSchema(type: EcfType, baseUrl: string): Representation {
	const plain = createSchemaWriter().toPlain(toTypeSchema(type));
	const schema = { $schema: DIALECT, $id: `${baseUrl}/v1/schemas/${type}`, ...plain };
	return represent(JSON.stringify(schema), {
		"content-type": `${MEDIA_TYPE}; charset=utf-8`,
		"cache-control": CACHE_CONTROL,
	});
}
