import { expect, test } from "bun:test";
import { createOpenApi, type OpenApiDocument } from "../../../src/api/openapi";
import { BASE_URL, declaredOperations, operationsOfSandboxes } from "../support/declared-operations";

const operations = [...declaredOperations(), ...operationsOfSandboxes()];

async function readDocument(): Promise<OpenApiDocument> {
	// What a reader gets is the text, so the text is what is judged.
	return JSON.parse(JSON.stringify(await createOpenApi(operations, { baseUrl: BASE_URL })));
}

type Schema = {
	readonly $ref?: string;
	readonly description?: string;
	readonly properties?: Readonly<Record<string, Schema>>;
	readonly patternProperties?: Readonly<Record<string, Schema>>;
	readonly items?: Schema;
	readonly anyOf?: readonly Schema[];
};

test("every tag, operation and parameter has a description", async () => {
	const { tags, paths } = await readDocument();
	const all = Object.values(paths).flatMap((methods) => Object.values(methods));
	const missing = [
		...tags.filter(({ description }) => !description).map(({ name }) => `tag ${name}`),
		...all.filter(({ description }) => !description).map(({ operationId }) => operationId),
		...all.flatMap(({ operationId, parameters = [] }) =>
			parameters.filter(({ description }) => !description).map(({ name }) => `${operationId}: ${name}`),
		),
	];
	expect(missing).toEqual([]);
});

test("every property of a request body has a description", async () => {
	const { paths, components } = await readDocument();
	const read = ({ $ref = "", ...own }: Schema): Schema => ({
		...own,
		...components.schemas[$ref.slice($ref.lastIndexOf("/") + 1)],
	});
	const describes = (schema: Schema): boolean => {
		const { description, anyOf = [] } = read(schema);
		return Boolean(description) || anyOf.some(describes);
	};
	const listMissing = (schema: Schema, path: string): string[] => {
		const { properties = {}, patternProperties = {}, items, anyOf = [] } = read(schema);
		return [
			...Object.entries(properties).flatMap(([name, one]) => [
				...(describes(one) ? [] : [`${path}/${name}`]),
				...listMissing(one, `${path}/${name}`),
			]),
			...[...Object.values(patternProperties), ...(items ? [items] : [])].flatMap((one) =>
				listMissing(one, `${path}/*`),
			),
			...anyOf.flatMap((one) => listMissing(one, path)),
		];
	};
	const missing = Object.values(paths)
		.flatMap((methods) => Object.values(methods))
		.flatMap(({ operationId, requestBody }) =>
			Object.values(requestBody?.content ?? {}).flatMap(({ schema }) => listMissing(schema ?? {}, operationId)),
		);
	expect(missing).toEqual([]);
});
