/** The OpenAPI document, and the parts of it that documentation pages share. */
import type { Operation } from "../../platform/operation";
import type { OpenApiDeps, OpenApiDocument } from "./document";

export type {
	MediaType,
	OpenApiDocument,
	OperationObject,
	ParameterObject,
	ResponseObject,
	SchemaObject,
} from "./document";
export { IDENTITY_VERSION, INVOICING_VERSION } from "./document";
export { createSchemaWriter, wordsOf } from "./plain-schema";
export { exampleProblem, isProblemSlug, PROBLEM_SLUGS } from "./problem-examples";
export { problemsOf } from "./problems";
export { type SampleValues, toSampleCall } from "./sample-call";
export { describe, listPieces, mapTexts, toLanguage } from "./spanish";
export { type CodeSample, formatJson, listSamples } from "./write-sample";

/** The document of these operations. What writes it takes 10 MiB, so it is loaded at the first call. */
export async function createOpenApi(operations: readonly Operation[], deps: OpenApiDeps): Promise<OpenApiDocument> {
	const loaded = await import("./create-openapi");
	return loaded.createOpenApi(operations, deps);
}
