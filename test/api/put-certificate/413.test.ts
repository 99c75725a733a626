import { beforeAll, expect, test } from "bun:test";
import { createTenant, sharedService, type Tenant, type TestService } from "../../support/service";
import { putCertificate } from "../support/certificates";
import { expectProblem } from "../support/problem";

const CONTAINER_MAX = 65_536;

let service: TestService;
let tenant: Tenant;
beforeAll(async () => {
	service = await sharedService();
	tenant = await createTenant(service);
});

const limitOf = async (body: unknown) =>
	(await expectProblem(putCertificate(service, tenant, body), 413, "payload-too-large")).limitBytes;

const formWith = (bytes: Uint8Array<ArrayBuffer>) => {
	const form = new FormData();
	form.set("password", "");
	form.set("file", new File([bytes], "own.p12"));
	return form;
};

test("413 for a body above the limit", async () => {
	expect(await limitOf({ pkcs12: "A".repeat(270_000), password: "" })).toBe(262_144);
});

test("413 for a container above 64 KiB in any form", async () => {
	const large = Buffer.alloc(CONTAINER_MAX + 1, 1);
	expect(await limitOf({ pkcs12: large.toString("base64"), password: "" })).toBe(CONTAINER_MAX);
	expect(await limitOf(formWith(large))).toBe(CONTAINER_MAX);
	expect(await limitOf({ pkcs12: Buffer.alloc(150_000).toString("base64"), password: "" })).toBe(CONTAINER_MAX);
	const most = large.subarray(0, CONTAINER_MAX);
	for (const body of [{ pkcs12: most.toString("base64"), password: "" }, formWith(most)]) {
		await expectProblem(putCertificate(service, tenant, body), 422, "certificate-invalid", ["/pkcs12 unreadable"]);
	}
});
