import { expect, test } from "bun:test";
import { FAILED_CREDENTIALS } from "../../../src/identity/rate-limits/plans";
import { FAILED_CREDENTIALS_POLICY as POLICY } from "../../../src/identity/rate-limits/policy";
import { createFailedCredentials } from "../../../src/identity/rate-limits/rates";
import { msg, Problem, toProblemDocument } from "../../../src/platform/problem";

const refusal = new Problem("unauthorised", { detail: msg`No.`, headers: { "www-authenticate": "Bearer" } });

test("rate headers leave the refusal unchanged", () => {
	const answer = createFailedCredentials(POLICY).answer(refusal, "192.0.2.1");
	expect(toProblemDocument(answer, { baseUrl: "", instance: "", requestId: "" })).toEqual(
		toProblemDocument(refusal, { baseUrl: "", instance: "", requestId: "" }),
	);
	expect(answer.headers).toMatchObject({ "www-authenticate": "Bearer", ratelimit: '"failed-credentials";r=9999;t=1' });
});

test("a hundred a minute come back", () => {
	let now = 0;
	const failed = createFailedCredentials(POLICY, () => now);
	const slugs = (times: number) => {
		const all = Array.from({ length: times }, () => failed.answer(refusal, "192.0.2.1").slug);
		return all.filter((slug) => slug === "unauthorised").length;
	};
	expect(slugs(FAILED_CREDENTIALS.burst + 50)).toBe(FAILED_CREDENTIALS.burst);
	now += 60_000;
	expect(slugs(200)).toBe(100);
});

test("of very many addresses those that failed last are remembered", () => {
	const failed = createFailedCredentials(POLICY, () => 0);
	for (let i = 0; i < FAILED_CREDENTIALS.burst; i++) failed.answer(refusal, "192.0.2.1");
	for (let i = 0; i < 9_999; i++) failed.answer(refusal, `2001:db8:${i.toString(16)}::1`);
	expect(failed.answer(refusal, "192.0.2.1").slug).toBe("rate-limit-exceeded");
	for (let i = 0; i < 10_000; i++) failed.answer(refusal, `2001:db8:${i.toString(16)}::1`);
	expect(failed.answer(refusal, "192.0.2.1").slug).toBe("unauthorised");
});
