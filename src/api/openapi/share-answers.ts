/**
 * Moves refusals that several operations share into the document's components, and puts references in their place.
 *
 * Every operation has a dozen refusals. Written out they were more than half of the document, and readers that load it completely before they show
 * anything, as the documentation page does, took twice as long.
 */
import type { OpenApiDocument, OperationObject, Reference, ResponseObject } from "./document";

type Paths = OpenApiDocument["paths"];

const PROBLEM_STATUS_MIN = 400;
/** Headers that only some operations' refusals have. */
const MARKS = { RateLimit: "limited", Deprecation: "deprecated" } as const;

/** Paths with references, and the shared answers, named after status, slugs and other differences. */
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
	const refer = (status: string, answer: ResponseObject | Reference): ResponseObject | Reference => {
		const name = names.get(spell(status, answer));
		return name === undefined ? answer : { $ref: `#/components/responses/${name}` };
	};
	const toShared = (operation: OperationObject): OperationObject => ({
		...operation,
		responses: mapValues(operation.responses, (answer, status) => refer(status, answer)),
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
				: [{ status, answer, spelling: spell(status, answer) }],
		);
}

/**
 * A name for each spelling that occurs more than once. It contains what distinguishes the answer from others with the same status and slugs, so that it
 * stays stable: generated clients use it. Throws an Error if two spellings would get the same name.
 */
function nameRepeated(refusals: readonly Refusal[]): ReadonlyMap<string, string> {
	const bySpelling = Map.groupBy(refusals, ({ spelling }) => spelling);
	const repeated = [...bySpelling.values()].flatMap(([first, ...others]) =>
		first && others.length > 0 ? [first] : [],
	);
	const names = new Map(repeated.map((refusal) => [refusal.spelling, nameOf(refusal)]));
	const taken = new Set(names.values());
	if (taken.size < names.size)
		throw new Error(`two different refusals have the same name among ${[...taken].join(", ")}`);
	return names;
}

function nameOf({ status, answer }: Refusal): string {
	const { headers = {} } = answer;
	const marks = Object.entries(MARKS).flatMap(([header, mark]) => (header in headers ? [mark] : []));
	// The slugs alone do not show that a retry may help.
	const isLater = status === "404" && "Retry-After" in headers;
	const isPage = answer.content?.["text/html"] !== undefined;
	return [status, ...slugsOf(answer), ...marks, ...(isLater ? ["later"] : []), ...(isPage ? ["page"] : [])].join("-");
}

function slugsOf({ content = {} }: ResponseObject): string[] {
	return Object.values(content).flatMap(({ examples = {} }) => Object.keys(examples));
}

/** Includes the status, since texts of two statuses may be equal. */
const spell = (status: string, answer: ResponseObject | Reference) => `${status} ${JSON.stringify(answer)}`;

function mapValues<T, U>(values: Readonly<Record<string, T>>, change: (value: T, key: string) => U): Record<string, U> {
	return Object.fromEntries(Object.entries(values).map(([key, value]) => [key, change(value, key)]));
}
