import { expect, test } from "bun:test";
import { createTenant, sharedService } from "../../support/service";
import { expectProblem } from "../support/problem";
import { urlAt } from "../support/webhooks";

const LIMIT = 262_144;

test("a body of 256 KiB is taken, and none that is larger", async () => {
	const service = await sharedService();
	const { headers } = await createTenant(service);
	const send = (bytes: number) =>
		fetch(`${service.url}/v1/webhooks`, {
			method: "POST",
			headers: { ...headers, "content-type": "application/json" },
			body: JSON.stringify({ url: urlAt(service, "large") }).padEnd(bytes),
		});
	expect((await send(LIMIT)).status).toBe(201);
	expect((await expectProblem(send(LIMIT + 1), 413, "payload-too-large")).limitBytes).toBe(LIMIT);
});
