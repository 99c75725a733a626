import { expect, test } from "bun:test";
import { isSharable, shareHeaders } from "../../../src/api/server/shared-caches";

test("a cacheable answer loses its caller's headers and gains tags", () => {
	const headers = new Headers({
		"cache-control": "public, max-age=300",
		etag: 'W/"1"',
		"x-registry-run-id": "0192ef00-5a4b-7c3d-8e2f-1a0b9c8d7e6f",
		"x-request-id": "0192ef00-0000-7000-8000-000000000000",
		ratelimit: '"lookup";r=99;t=1',
		"ratelimit-policy": '"lookup";q=100;w=1',
	});
	expect(isSharable(headers)).toBe(true);
	shareHeaders(headers, "1-31-88068-1");
	// printf 131880681 | sha256sum
	const doc = "doc-be2aa128dfc3f3f0";
	expect(Object.fromEntries(headers)).toEqual({
		"cache-control": "public, max-age=300",
		"cache-tag": `registry,run-0192ef00-5a4b-7c3d-8e2f-1a0b9c8d7e6f,${doc}`,
		"cdn-cache-control": "max-age=300",
		etag: 'W/"1"',
		"surrogate-key": `registry run-0192ef00-5a4b-7c3d-8e2f-1a0b9c8d7e6f ${doc}`,
		"x-registry-run-id": "0192ef00-5a4b-7c3d-8e2f-1a0b9c8d7e6f",
	});
});

test("private and uncacheable answers are not shared", () => {
	for (const value of ["private, max-age=60", "no-store"])
		expect(isSharable(new Headers({ "cache-control": value }))).toBe(false);
	expect(isSharable(new Headers())).toBe(false);
});
