/** The OpenAPI document, and the parts of it that documentation pages share. */
import type { Operation } from "../../platform/operation";
import type { OpenApiDocument } from "./document";

export type { MediaType, OpenApiDocument, OperationObject, ParameterObject, ResponseObject } from "./document";
export { IDENTITY_VERSION, INVOICING_VERSION } from "./document";
export { createSchemaWriter, wordsOf } from "./plain-schema";
export { exampleProblem, isProblemSlug, PROBLEM_SLUGS } from "./problem-examples";
export { problemsOf } from "./problems";

/** The document of these operations. What writes it takes 10 MiB, so it is loaded at the first call. */
export async function createOpenApi(
	operations: readonly Operation[],
	deps: { readonly baseUrl: string },
): Promise<OpenApiDocument> {
	const loaded = await import("./create-openapi");
	return loaded.createOpenApi(operations, deps);
}
