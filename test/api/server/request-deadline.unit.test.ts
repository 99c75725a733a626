import { expect, test } from "bun:test";
import { createDeadline } from "../../../src/api/server/invoke-operation";
import type { Problem } from "../../../src/platform/problem";
import { until } from "../../support/until";

test("a request that waits too long is ended once; answered and sending ones are not", async () => {
	const deadline = createDeadline(40, 5);
	const found: string[] = [];
	const wait = (name: string, state: { waitsSince: number | undefined } = { waitsSince: performance.now() }) => ({
		state,
		forget: deadline(state, ({ slug, headers }: Problem) => found.push(`${name} ${slug} ${headers["retry-after"]}`)),
	});
	wait("waiting");
	const sending = wait("sending", { waitsSince: undefined });
	wait("answered").forget();
	await until(() => found.length > 0);
	await Bun.sleep(20);
	expect(found).toEqual(["waiting service-unavailable 5"]);

	sending.state.waitsSince = performance.now();
	await until(() => found.length > 1);
	expect(found[1]).toBe("sending service-unavailable 5");
});
