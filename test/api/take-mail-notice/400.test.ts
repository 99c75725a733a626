/** A signed notice in JSON is read as strictly as any other body. */
import { test } from "bun:test";
import { sharedService } from "../../support/service";
import { postNotice } from "../support/emails";
import { expectProblem } from "../support/problem";

test("all violations of a notice are reported after its signature is checked", async () => {
	const service = await sharedService();
	const ask = (body: string) => postNotice(service, body, { type: "application/json" });
	const faults = ["/messageId required", "/status not-in-list", "/who unknown-field"];
	await expectProblem(ask('{"status":"opened","who":1}'), 400, "validation-error", faults);
	await expectProblem(ask("{"), 400, "malformed-json");
});
