import { expect, test } from "bun:test";
import { countConnections, warnOfFewConnections } from "../../../src/app/config/config";

const whole = { role: "all", processes: 1, submitThreads: 1 } as const;

test("every process wants 26 connections and every submitting thread 13 more", () => {
	expect(countConnections(whole)).toBe(39);
	expect(countConnections({ ...whole, processes: 4, submitThreads: 2 })).toBe(130);
});

test("only processes with an outbox have submitting threads; a worker is one process", () => {
	expect(countConnections({ ...whole, role: "api", processes: 2 })).toBe(52);
	expect(countConnections({ ...whole, role: "registry", processes: 2, submitThreads: 4 })).toBe(52);
	expect(countConnections({ ...whole, role: "worker", processes: 8, submitThreads: 4 })).toBe(78);
});

test("warns with both numbers if the server allows fewer", () => {
	expect(warnOfFewConnections(whole, 39)).toEqual([]);
	expect(warnOfFewConnections({ ...whole, processes: 4 }, 97)).toEqual([
		expect.stringMatching(/^the login of DATABASE_URL may open 97 connections, and this service may need 117: raise/),
	]);
});
