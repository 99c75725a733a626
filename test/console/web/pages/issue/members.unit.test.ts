/** Words for the members of a request, compared with the schema of the service. */
import { expect, test } from "bun:test";
import { FURTHER, wordOfMember, wordOfValue } from "../../../../../src/console/web/pages/issue/members";
import { InvoiceRequest } from "../../../../../src/ecf/mapping";

type Schema = {
	readonly type?: string;
	readonly properties?: Readonly<Record<string, Schema>>;
	readonly items?: Schema;
	readonly anyOf?: readonly Schema[];
	readonly const?: unknown;
	readonly minimum?: number;
	readonly maximum?: number;
};

/** Paths of all members without members of their own, each with its coded values. */
function leavesOf(schema: Schema, path = ""): [path: string, values: readonly unknown[]][] {
	const { properties, items, anyOf = [], minimum = 0, maximum = Number.POSITIVE_INFINITY } = schema;
	if (properties)
		return Object.entries(properties).flatMap(([name, one]) => leavesOf(one, path === "" ? name : `${path}.${name}`));
	if (items) return leavesOf(items, path);
	const [first] = anyOf;
	if (first && first.const === undefined) return leavesOf(first, path);
	const codes = schema.const === undefined ? anyOf.map((one) => one.const) : [schema.const];
	const isCode = schema.type === "integer" && maximum < 10;
	return [[path, isCode ? Array.from({ length: maximum - minimum + 1 }, (_, at) => minimum + at) : codes]];
}

const leaves = leavesOf(InvoiceRequest as Schema);
/** Shown as they are. */
const PLAIN = ["type", "currency"];

test.each(["es", "en"] as const)("every member of an invoice and every coded value has a word: %s", (language) => {
	expect(leaves.length).toBeGreaterThan(80);
	expect(leaves.flatMap(([path]) => (wordOfMember(path, language) ? [] : [path]))).toEqual([]);
	const values = leaves.flatMap(([path, codes]) =>
		PLAIN.includes(path) ? [] : codes.map((value) => ({ path, value, word: wordOfValue(path, value, language) })),
	);
	expect(values.length).toBeGreaterThan(30);
	expect(values.filter(({ word }) => !word)).toEqual([]);
});

test("no word is left of a member or value that requests do not have", () => {
	const paths = leaves.flatMap(([path, codes]) => [path, ...codes.map((value) => `${path}=${value}`)]);
	const left = Object.keys(FURTHER.es).filter(
		(key) => !paths.includes(key) && !paths.some((path) => path.startsWith(`${key}.`)),
	);
	expect(left).toEqual([]);
});
