/** What every answer of 400 and above must look like. */
import { expect } from "bun:test";
import { catalogue, type ProblemSlug } from "../../../src/platform/problem";
import { sharedService } from "../../support/service";

export type ProblemBody = {
	readonly type: string;
	readonly title: string;
	readonly status: number;
	readonly detail: string;
	readonly instance: string;
	readonly requestId: string;
	readonly errors?: readonly { pointer: string; code: string; detail: string; [extra: string]: unknown }[];
	readonly [extension: string]: unknown;
};

/** Internal words that no answer may contain: stacks, SQL, drivers, frameworks, paths. */
export const LEAK_WORDS: readonly string[] = [
	...["    at ", ".ts:", "node_modules", "/src/", "file://", "/tmp/", "bun:", "TypeError", "RangeError", "SyntaxError"],
	...["ReferenceError", "undefined is not", "is not a function", "PostgresError", "postgres", "ECONNREFUSED"],
	...[
		"select ",
		"insert into",
		"delete from",
		"from documents",
		"from companies",
		"relation ",
		"constraint",
		"duplicate key",
	],
	...["violates", "22P02", "TypeBox", "Elysia", "xmldom", "stack"],
];

/** Internal words in a text; should be none. */
export function findLeaks(text: string): string[] {
	return LEAK_WORDS.filter((word) => text.includes(word));
}

/** Checks the common form of problems and returns the document. */
export async function readProblem(response: Response): Promise<ProblemBody> {
	const text = await response.text();
	const { url } = await sharedService();
	expect(response.headers.get("content-type")).toBe("application/problem+json; charset=utf-8");
	expect(response.headers.get("cache-control")).toBe("no-store");
	expect(response.headers.get("x-content-type-options")).toBe("nosniff");
	const body = JSON.parse(text) as ProblemBody;
	const slug = body.type.slice(`${url}/errors/`.length);
	expect(body.type).toBe(`${url}/errors/${slug}`);
	expect(Object.keys(catalogue)).toContain(slug);
	expect(body.title).toBe(catalogue[slug as ProblemSlug].title);
	expect(body.status).toBe(response.status);
	expect(body.status).toBe(catalogue[slug as ProblemSlug].status);
	expect(body.detail.length).toBeGreaterThan(0);
	expect(body.requestId).toBe(response.headers.get("x-request-id") ?? "");
	if (response.url) expect(body.instance).toBe(new URL(response.url).pathname);
	expect({ text, leaks: findLeaks(text) }).toEqual({ text, leaks: [] });
	return body;
}

/** The answer must be this problem; `faults` lists exactly its pointers and codes, in any order. */
export async function expectProblem(
	response: Response | Promise<Response>,
	status: number,
	slug: ProblemSlug,
	faults?: readonly string[],
): Promise<ProblemBody> {
	const answer = await response;
	const problem = await readProblem(answer);
	const found = problem.errors?.map((fault) => `${fault.pointer} ${fault.code}`);
	expect({ status: answer.status, slug: problem.type.replace(/^.*\//, ""), errors: found }).toMatchObject({
		status,
		slug,
		...(faults ? {} : { errors: found }),
	});
	if (faults) expect([...(found ?? [])].sort()).toEqual([...faults].sort());
	return problem;
}

/** The answer must be 401 with a challenge for plain HTTP clients. */
export async function expectUnauthorised(response: Response | Promise<Response>): Promise<ProblemBody> {
	const answer = await response;
	expect(answer.headers.get("www-authenticate")).toBe('Bearer error="invalid_token"');
	return expectProblem(answer, 401, "unauthorised");
}
