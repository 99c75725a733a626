import type { OpenApiDocument, OperationObject, ResponseObject } from "../../../src/api/openapi";

/** The answers of an operation by status, with shared answers resolved. */
export function answersOf(
	document: OpenApiDocument,
	operation: OperationObject | undefined,
): Record<string, ResponseObject> {
	return Object.fromEntries(
		Object.entries(operation?.responses ?? {}).map(([status, answer]) => {
			if (!("$ref" in answer)) return [status, answer];
			const found = document.components.responses[answer.$ref.replace("#/components/responses/", "")];
			if (!found) throw new Error(`the document refers to ${answer.$ref}, which it does not hold`);
			return [status, found];
		}),
	);
}
