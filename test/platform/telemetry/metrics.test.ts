import { expect, test } from "bun:test";
import { createMetrics, mergeMetrics } from "../../../src/platform/telemetry";

test("signing queues are summed, shared gauges come from the first process", async () => {
	const [first, further] = [createMetrics(), createMetrics()];
	for (const metrics of [first, further]) {
		metrics.signingQueued.set(3);
		metrics.deadLetters.set({ kind: "a" }, 5);
		metrics.certificatesEnding.set({ within: "7d" }, 7);
	}
	const lines = (await mergeMetrics([await first.share(), await further.counted()])).split("\n");
	expect(lines).toContain("sello_signing_queued 6");
	expect(lines).toContain('sello_dead_letters{kind="a"} 5');
	expect(lines).toContain('sello_certificates_ending{within="7d"} 7');
});
