/** Checks an answer against the operation's description and the rules for every answer. */

import { describeViolation, findSchemaViolations, type Schema } from "../../../test/support/json-schema";
import type { ApiOperation, Description } from "./description";
import { NATIVE_REFUSALS } from "./raw-cases";
import type { Answer } from "./wire";

export type Expectation = {
	/** The address may match no operation: then the router's `not-found` is right too. */
	readonly mayBeElsewhere?: boolean;
	/** After dot segments are resolved, the address is another operation's, so this description does not apply. */
	readonly isElsewhere?: boolean;
	/** The head exceeds the listener's limit, so its own refusal is right too. */
	readonly isHuge?: boolean;
	/** The request asked to wait for the authority, which may take longer. */
	readonly mayTimeOut?: boolean;
	/** The request must not be accepted. */
	readonly mustBeRefused?: boolean;
	/** The request reads and accepts HTML, so a refusal may be a page for people. */
	readonly mayBePage?: boolean;
	/** The body is well-formed JSON, so a refusal must have another reason. */
	readonly isJson?: boolean;
};

/** Words that reveal internals: stacks, statements, drivers, frameworks, paths. */
export const LEAK_WORDS: readonly string[] = [
	...["    at ", ".ts:", "node_modules", "/src/", "file://", "/tmp/", "bun:", "TypeError", "RangeError", "SyntaxError"],
	...[
		"ReferenceError",
		"undefined is not",
		"is not a function",
		"PostgresError",
		"postgres",
		"ECONNREFUSED",
		"ECONNRESET",
	],
	...[
		"select ",
		"insert into",
		"delete from",
		"from documents where",
		"from companies where",
		'relation "',
		"duplicate key",
		"violates",
	],
	...["22P02", "TypeBox", "Elysia", "xmldom", "stack trace", "[object Object]"],
];

const PROBLEM = "application/problem+json; charset=utf-8";
const WITH_RETRY_AFTER = new Set([429, 503]);
const ELSEWHERE = new Set(["not-found", "method-not-allowed"]);

/** Violations as sentences; empty if the answer is right. */
export function checkAnswer(
	api: Description,
	operation: ApiOperation,
	answer: Answer,
	expected: Expectation = {},
): string[] {
	if (answer.status === 0) return ["why" in answer ? answer.why : "no answer"];
	if (!("body" in answer)) return ["no answer"];
	const faults: string[] = [];
	const { status, headers, body } = answer;
	if (expected.isHuge && NATIVE_REFUSALS.includes(status) && body === "") return [];
	const mediaType = headers["content-type"] ?? "";
	if (!headers["x-request-id"]) faults.push("the answer has no X-Request-Id");
	const report = operation.answers.get(status)?.content.get("application/json")?.schema;
	if (status >= 400 && report && mediaType.startsWith("application/json")) {
		// An answer about the service's health says nothing about the request.
		const others = findFaults(api, report, parse(body)).map((fault) => `${status}: ${fault}`);
		return [...faults, ...others, `${status} for a request alone`];
	}
	// A page for people says in HTML what is wrong.
	const isPage = expected.mayBePage === true || operation.answers.get(status)?.content.has("text/html") === true;
	if (isPage && status >= 400 && status < 500 && mediaType.startsWith("text/html")) return faults;
	if (status >= 400) {
		const { slug, faults: own } = checkProblem(api, answer);
		faults.push(...own);
		const isElsewhere = expected.isElsewhere === true || (expected.mayBeElsewhere === true && ELSEWHERE.has(slug));
		if (!isElsewhere && !operation.answers.get(status)?.slugs.has(slug))
			faults.push(`${status} ${slug || mediaType} is not documented for ${operation.name}`);
		if (status >= 500 && !(status === 504 && expected.mayTimeOut)) faults.push(`${status} for a request alone`);
		if (expected.isJson && slug === "malformed-json") faults.push("good JSON is called malformed");
		return faults;
	}
	if (expected.isElsewhere) return faults;
	const documented = operation.answers.get(status);
	if (!documented) return [...faults, `${status} is not documented for ${operation.name}`];
	if (expected.mustBeRefused && status < 300) faults.push(`${status} for what must be refused`);
	if (documented.content.size === 0 || body === "") return faults;
	const [bare = ""] = mediaType.split(";");
	const media = documented.content.get(bare) ?? documented.content.get("*/*");
	if (!media) return [...faults, `the media type ${mediaType} is not documented for ${status}`];
	if (!/^application\/(.*\+)?json$/.test(bare) || !media.schema) return faults;
	const value = parse(body);
	if (value === undefined) return [...faults, "the answer is no JSON"];
	return [
		...faults,
		...findFaults(api, media.schema, value)
			.slice(0, 5)
			.map((fault) => `${status}: ${fault}`),
	];
}

/** Checks the rules for every problem document. */
export function checkProblem(
	api: Description,
	{ status, headers, body }: Pick<Exclude<Answer, { status: 0 }>, "status" | "headers" | "body">,
): { slug: string; faults: string[] } {
	const faults: string[] = [];
	if (headers["content-type"] !== PROBLEM) faults.push(`${status} comes as ${headers["content-type"]}`);
	const leaks = LEAK_WORDS.filter((word) => body.includes(word));
	if (leaks.length > 0) faults.push(`the body reveals internals: ${leaks.join(", ")}`);
	const problem = parse(body) as { type?: unknown; status?: unknown; requestId?: unknown } | null | undefined;
	if (typeof problem !== "object" || problem === null)
		return { slug: "", faults: [...faults, "the body is no problem document"] };
	faults.push(...findFaults(api, api.problem, problem).map((fault) => `problem: ${fault}`));
	const slug = /\/errors\/([a-z0-9-]+)$/.exec(String(problem.type))?.[1] ?? "";
	if (problem.status !== status) faults.push(`the body says ${problem.status}, the answer ${status}`);
	if (problem.requestId !== headers["x-request-id"]) faults.push("body and header name different requests");
	if (status === 401 && !headers["www-authenticate"]) faults.push("401 without WWW-Authenticate");
	if (WITH_RETRY_AFTER.has(status) && !/^\d+$/.test(headers["retry-after"] ?? ""))
		faults.push(`${status} without Retry-After`);
	return { slug, faults };
}

function parse(body: string): unknown {
	try {
		return JSON.parse(body);
	} catch {
		return undefined;
	}
}

function findFaults(api: Pick<Description, "resolve">, schema: Schema, value: unknown): string[] {
	return findSchemaViolations(schema, value, api.resolve).map(describeViolation);
}
