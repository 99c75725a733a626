/**
 * Refusals that several operations give alike stand once in the document, among its components, and a reference to them where they are given.
 *
 * Every operation has a dozen of them. Written out each time they were more than half of the document, and whoever reads it whole before it
 * shows anything, as the documentation page does, took twice as long.
 */
import type { OpenApiDocument, OperationObject, Reference, ResponseObject } from "./document";

type Paths = OpenApiDocument["paths"];

const PROBLEM_STATUS_MIN = 400;

/** The paths with references, and what these lead to under the names of their status and slugs. */
export function shareAnswers(paths: Paths): {
	readonly paths: Paths;
	readonly responses: Record<string, ResponseObject>;
} {
	const names = nameRepeated(listRefusals(paths));
	const responses: Record<string, ResponseObject> = {};
	for (const { answer, spelling } of listRefusals(paths)) {
		const name = names.get(spelling);
		if (name !== undefined) responses[name] = answer;
	}
	const refer = (answer: ResponseObject | Reference): ResponseObject | Reference => {
		const name = names.get(JSON.stringify(answer));
		return name === undefined ? answer : { $ref: `#/components/responses/${name}` };
	};
	const toShared = (operation: OperationObject): OperationObject => ({
		...operation,
		responses: mapValues(operation.responses, refer),
	});
	return { paths: mapValues(paths, (methods) => mapValues(methods, toShared)), responses };
}

type Refusal = { readonly status: string; readonly answer: ResponseObject; readonly spelling: string };

function listRefusals(paths: Paths): Refusal[] {
	return Object.values(paths)
		.flatMap((methods) => Object.values(methods))
		.flatMap(({ responses }) => Object.entries(responses))
		.flatMap(([status, answer]) =>
			Number(status) < PROBLEM_STATUS_MIN || "$ref" in answer
				? []
				: [{ status, answer, spelling: JSON.stringify(answer) }],
		);
}

/** A name for each spelling that is there more than once; those of one status and the same slugs are numbered. */
function nameRepeated(refusals: readonly Refusal[]): ReadonlyMap<string, string> {
	const bySpelling = Map.groupBy(refusals, ({ spelling }) => spelling);
	const repeated = [...bySpelling.values()].flatMap(([first, ...others]) =>
		first && others.length > 0 ? [first] : [],
	);
	const taken = new Map<string, number>();
	return new Map(
		repeated.map(({ status, answer, spelling }) => {
			const base = [status, ...slugsOf(answer)].join("-");
			const count = (taken.get(base) ?? 0) + 1;
			taken.set(base, count);
			return [spelling, count === 1 ? base : `${base}-${count}`];
		}),
	);
}

function slugsOf({ content = {} }: ResponseObject): string[] {
	return Object.values(content).flatMap(({ examples = {} }) => Object.keys(examples));
}

function mapValues<T, U>(values: Readonly<Record<string, T>>, change: (value: T) => U): Record<string, U> {
	return Object.fromEntries(Object.entries(values).map(([key, value]) => [key, change(value)]));
}
