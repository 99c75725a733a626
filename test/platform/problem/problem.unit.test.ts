import { describe, expect, test } from "bun:test";
import { catalogue, msg, Problem, type ProblemSlug, toProblemDocument } from "../../../src/platform/problem";
import { pointerSegment } from "../../../src/platform/problem/problem";

const place = { baseUrl: "https://api.example", instance: "/v1/invoices", requestId: "request-1" };
const slugs = Object.keys(catalogue) as ProblemSlug[];

describe("a problem document", () => {
	test("has the members of RFC 9457, and the request's id", () => {
		const problem = new Problem("not-found");
		expect(toProblemDocument(problem, place)).toEqual({
			type: "https://api.example/errors/not-found",
			title: "Not found",
			status: 404,
			detail: "There is no resource at this address that you can access.",
			instance: "/v1/invoices",
			requestId: "request-1",
		});
	});

	test("reports all violations at once and counts them", () => {
		const fault = (pointer: string) => ({ pointer, code: "required", detail: msg`The member is required.` });
		const shown = (pointer: string) => ({ pointer, code: "required", detail: "The member is required." });
		const one = toProblemDocument(new Problem("validation-error", { faults: [fault("/encf")] }), place);
		expect(one).toMatchObject({ detail: "1 field is invalid.", errors: [shown("/encf")] });
		const two = toProblemDocument(new Problem("validation-error", { faults: [fault("/encf"), fault("/type")] }), place);
		expect(two).toMatchObject({ detail: "2 fields are invalid.", errors: [shown("/encf"), shown("/type")] });
	});

	test("says the detail that it was given and carries its extensions", () => {
		const problem = new Problem("payload-too-large", {
			detail: msg`Body exceeds ${7} bytes.`,
			extensions: { limitBytes: 7 },
		});
		expect(toProblemDocument(problem, place)).toMatchObject({
			status: 413,
			detail: "Body exceeds 7 bytes.",
			limitBytes: 7,
		});
	});

	test("keeps its cause inside", () => {
		const cause = new Error("password of the database");
		const problem = new Problem("service-unavailable", { cause });
		expect(problem.cause).toBe(cause);
		expect(JSON.stringify(toProblemDocument(problem, place))).not.toContain("password");
	});
});

describe("the catalogue", () => {
	test("names every slug in kebab-case and gives every one an address of its own", () => {
		expect(slugs.filter((slug) => !/^[a-z]+(-[a-z]+)*$/.test(slug))).toEqual([]);
		for (const slug of slugs) {
			const { type, status } = toProblemDocument(new Problem(slug), place);
			expect(type).toBe(`https://api.example/errors/${slug}`);
			expect(status).toBe(catalogue[slug].status);
		}
	});

	test("gives every problem a title of its own, a cause and a fix", () => {
		const titles = slugs.map((slug) => catalogue[slug].title);
		expect(new Set(titles).size).toBe(titles.length);
		for (const slug of slugs) {
			const { title, cause, fix, status } = catalogue[slug];
			for (const text of [title, cause, fix]) expect(text.trim().length).toBeGreaterThan(3);
			for (const sentence of [cause, fix]) expect(`${slug}: ${sentence}`).toMatch(/: \S.*\.$/);
			expect(status).toBeGreaterThanOrEqual(400);
			expect(status).toBeLessThan(600);
		}
	});

	test("has the slugs that the specification names", () => {
		const named = {
			...{ "validation-error": 400, "unsupported-ecf-type": 400, "invalid-document-format": 400, unauthorised: 401 },
			...{ "document-not-found": 404, "mathematical-discrepancy": 422, "tenant-config-missing": 422 },
			...{ "authority-rejected": 422, "polling-limit-exceeded": 429, "registry-unavailable": 503 },
			...{ "authority-unavailable": 504, "malformed-json": 400, "insufficient-scope": 403, "payload-too-large": 413 },
		} as const;
		for (const [slug, status] of Object.entries(named))
			expect([slug, catalogue[slug as ProblemSlug]?.status]).toEqual<unknown>([slug, status]);
	});
});

test("a pointer's segment is escaped so that it names one member", () => {
	expect(pointerSegment("a/b~c")).toBe("a~1b~0c");
	expect(pointerSegment("~1")).toBe("~01");
	expect(pointerSegment(3)).toBe("3");
});
