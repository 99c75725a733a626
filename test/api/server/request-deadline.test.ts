import { expect, test } from "bun:test";
import { createDeadline } from "../../../src/api/server/invoke-operation";
import type { Problem } from "../../../src/platform/problem";
import { until } from "../../support/until";

test("who waits for too long is told once, who was answered or is still sending is not", async () => {
	const deadline = createDeadline(40, 5);
	const told: string[] = [];
	const wait = (name: string, state: { waitsSince: number | undefined } = { waitsSince: performance.now() }) => ({
		state,
		forget: deadline(state, ({ slug, headers }: Problem) => told.push(`${name} ${slug} ${headers["retry-after"]}`)),
	});
	wait("waiting");
	const sending = wait("sending", { waitsSince: undefined });
	wait("answered").forget();
	await until(() => told.length > 0);
	await Bun.sleep(20);
	expect(told).toEqual(["waiting service-unavailable 5"]);

	sending.state.waitsSince = performance.now();
	await until(() => told.length > 1);
	expect(told[1]).toBe("sending service-unavailable 5");
});
