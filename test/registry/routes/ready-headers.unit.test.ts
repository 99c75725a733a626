import { expect, test } from "bun:test";
import { createReadyHeaders } from "../../../src/registry/routes/answers";
import { runRow } from "../in-memory";

const HOUR_MS = 3_600_000;

test("prebuilt headers change when a run becomes stale and with the next run", () => {
	const confirmedAt = new Date("2026-07-01T08:00:00Z");
	let now = confirmedAt;
	const headersOf = createReadyHeaders({ now: () => now }, 300);
	const run = runRow({ confirmedAt });
	const fresh = headersOf(run);
	expect(headersOf(run)).toBe(fresh);
	expect(fresh.full.get("x-registry-stale")).toBeNull();
	now = new Date(confirmedAt.getTime() + 36 * HOUR_MS + 1_000);
	expect(headersOf(run).full.get("x-registry-stale")).toBe("true");
	expect(headersOf(run).unmodified.get("x-registry-stale")).toBe("true");

	const next = headersOf(runRow({ runId: "01999999-0000-7000-8000-000000000000", confirmedAt: now }));
	expect(next.full.get("x-registry-run-id")).toBe("01999999-0000-7000-8000-000000000000");
	expect(next.full.get("content-type")).toBe("application/json; charset=utf-8");
	expect(next.full.get("x-registry-stale")).toBeNull();
	expect(next.unmodified.get("content-type")).toBeNull();
});
