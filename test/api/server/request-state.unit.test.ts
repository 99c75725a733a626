import { describe, expect, test } from "bun:test";
import { beginRequest, pathOf } from "../../../src/api/server/request-state";

const arrive = (url: string, headers: Record<string, string> = {}) => beginRequest(new Request(url, { headers }));

describe("a request that arrives", () => {
	test("keeps the id that its caller sent", () => {
		expect(arrive("http://localhost/", { "x-request-id": "till-7.0001" }).requestId).toBe("till-7.0001");
	});

	test("gets a new id if the caller's is invalid", () => {
		const { requestId } = arrive("http://localhost/", { "x-request-id": "two words" });
		expect(requestId).toMatch(/^[0-9a-f-]{36}$/);
	});

	test("has its path without its query", () => {
		expect(pathOf(arrive("http://localhost/v1/invoices?limit=2"))).toBe("/v1/invoices");
	});

	test("is `/` if host and path form no valid URL, or without a state", () => {
		const request = new Request("http://localhost/v1/invoices");
		Object.defineProperty(request, "url", { value: "http://%/v1/invoices" });
		expect(beginRequest(request).url).toBeUndefined();
		expect(pathOf(beginRequest(request))).toBe("/");
		expect(pathOf(undefined)).toBe("/");
	});
});
