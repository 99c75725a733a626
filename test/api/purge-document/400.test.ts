import { beforeAll, test } from "bun:test";
import { sharedService, type Tenant, type TestService } from "../../support/service";
import { expectProblem } from "../support/problem";
import { createOfficer, orderPurge, PURGE_REQUEST } from "../support/purges";

let service: TestService;
/** A key that may erase. */
let officer: Tenant;
beforeAll(async () => {
	service = await sharedService();
	officer = await createOfficer(service);
});

const purge = (document: string, body?: unknown, headers?: Readonly<Record<string, string>>) =>
	orderPurge(service, officer, document, body, headers);

test("400 for a malformed number, and for a request without its reasons", async () => {
	await expectProblem(purge("123"), 400, "invalid-document-format");
	await expectProblem(purge("888888888", {}), 400, "validation-error", [
		...["/legal_basis required", "/request_reference required", "/requested_by required", "/reason required"],
	]);
	await expectProblem(purge("888888888", { ...PURGE_REQUEST, legal_basis: "because" }), 400, "validation-error", [
		"/legal_basis not-in-list",
	]);
	const reason = "erase 888-888-888";
	await expectProblem(purge("888888888", { ...PURGE_REQUEST, reason }), 400, "validation-error", [
		"/reason contains-document",
	]);
	await expectProblem(purge("888888888", "{"), 400, "malformed-json");
});

test("400 for an idempotency key that is not a version 4 UUID", async () => {
	const headers = { ...officer.headers, "idempotency-key": "1" };
	await expectProblem(purge("888888888", PURGE_REQUEST, headers), 400, "validation-error", [
		"#/headers/idempotency-key invalid-format",
	]);
});
