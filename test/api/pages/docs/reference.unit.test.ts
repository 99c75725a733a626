/** The reference names every member of a result that takes one of several forms. */
import { expect, test } from "bun:test";
import { createOpenApi, type OpenApiDocument } from "../../../../src/api/openapi";
import { toReferenceEntry } from "../../../../src/api/pages/docs/reference-model";
import { BASE_URL, declaredOperations } from "../../support/declared-operations";

test("a member of several forms has all their values", async () => {
	const operations = declaredOperations();
	const document: OpenApiDocument = JSON.parse(JSON.stringify(await createOpenApi(operations, { baseUrl: BASE_URL })));
	const operation = operations.find(({ id }) => id === "batchDocuments");
	if (!operation) throw new Error("no batchDocuments");
	const [answer] = toReferenceEntry(operation, document, "en").answers;
	const results = answer?.members.find(({ name }) => name === "results");
	expect(results?.members).toEqual([
		expect.objectContaining({ name: "document", type: "string", isRequired: true }),
		expect.objectContaining({ name: "outcome", type: '"found" | "not_found" | "invalid"', isRequired: true }),
		expect.objectContaining({ name: "entry", isRequired: false }),
	]);
	expect(results?.members[1]?.description).not.toBe("");
});
