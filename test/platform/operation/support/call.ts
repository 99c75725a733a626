/** Calls made by hand, for what reads a request before any operation of the service exists. */
import { type TSchema, Type } from "@sinclair/typebox";
import { type BodyRule, type Call, json, type Operation, PUBLIC } from "../../../../src/platform/operation";
import { Problem } from "../../../../src/platform/problem";

export function makeOperation(given: Partial<Operation> & Pick<Operation, "method" | "path">): Operation {
	return {
		id: `${given.method} ${given.path}`,
		sdk: null,
		tag: "Test",
		summary: "An operation of a test",
		credentials: PUBLIC,
		answers: { 200: { description: "Done." } },
		problems: [],
		handle: () => json(200, {}),
		...given,
	};
}

export function makeRule(given: Partial<BodyRule> = {}): BodyRule {
	const schema: TSchema = Type.Object({ name: Type.String() }, { additionalProperties: false });
	return { schema, limitBytes: 1_024, required: true, mediaTypes: ["application/json"], example: {}, ...given };
}

/** A call whose request has this body, or none. Headers are sent as they are given, none is added. */
export function makeCall(init: RequestInit, rule: Partial<BodyRule> = {}): Call {
	const operation = makeOperation({ method: "POST", path: "/v1/things", body: makeRule(rule) });
	const request = new Request("http://sello.test/v1/things", { method: "POST", ...init });
	return { request, url: new URL(request.url), requestId: "request-1", remoteAddress: "", params: {}, operation };
}

/** The problem that some work ends in; anything else than a Problem fails the test. */
export async function problemFrom(work: () => unknown): Promise<Problem> {
	try {
		await work();
	} catch (error) {
		if (error instanceof Problem) return error;
		throw error;
	}
	throw new Error("expected a Problem, but the work succeeded");
}
