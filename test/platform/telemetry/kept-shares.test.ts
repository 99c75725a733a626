import { expect, test } from "bun:test";
import { createKeptShares, createMetrics, mergeMetrics } from "../../../src/platform/telemetry";

const NAME = "sello_outbox_stale_fences_total";

test("counts of busy and ended sources are kept", async () => {
	const busy = new Set<string>();
	const metrics = new Map(["a", "b", "c"].map((name) => [name, createMetrics()]));
	const kept = createKeptShares(async (name: string) => (busy.has(name) ? undefined : metrics.get(name)?.share()));
	const sources = new Set(metrics.keys());
	const count = async () => readSum(await mergeMetrics(await kept.collect(sources)));
	for (const one of metrics.values()) one.staleFences.inc({ kind: "document" }, 10);
	expect(await count()).toBe(30);

	busy.add("a");
	metrics.get("b")?.staleFences.inc({ kind: "document" });
	expect(await count()).toBe(31);

	for (const name of ["a", "b"]) {
		sources.delete(name);
		kept.leave(name);
		expect(await count()).toBe(31);
	}
	metrics.get("c")?.staleFences.inc({ kind: "other" });
	expect(await count()).toBe(32);
});

test("gauges of an ended source are dropped", async () => {
	const metrics = createMetrics();
	metrics.webhookBreakersOpen.set(3);
	const kept = createKeptShares(async () => metrics.share());
	const sources = new Set([1]);
	expect(await mergeMetrics(await kept.collect(sources))).toContain("sello_webhook_breakers_open 3");
	sources.clear();
	kept.leave(1);
	expect(await mergeMetrics(await kept.collect(sources))).not.toContain("sello_webhook_breakers_open 3");
});

test("one that leaves while it is asked is counted once", async () => {
	const metrics = createMetrics();
	metrics.staleFences.inc({ kind: "document" }, 10);
	const sources = new Set([1]);
	let leave = () => {};
	const kept = createKeptShares(async () => {
		leave();
		return metrics.share();
	});
	const count = async () => readSum(await mergeMetrics(await kept.collect(sources)));
	expect(await count()).toBe(10);
	leave = () => {
		if (sources.delete(1)) kept.leave(1);
	};
	expect(await count()).toBe(10);
	expect(await count()).toBe(10);
});

function readSum(text: string): number {
	const lines = text.split("\n").filter((line) => line.startsWith(NAME));
	return lines.map((line) => Number(line.split(" ")[1])).reduce((sum, value) => sum + value, 0);
}
