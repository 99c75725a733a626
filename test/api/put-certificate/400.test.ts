import { beforeAll, test } from "bun:test";
import { createTenant, sharedService, type Tenant, type TestService } from "../../support/service";
import { putCertificate } from "../support/certificates";
import { makePkcs12 } from "../support/companies";
import { expectProblem } from "../support/problem";

let service: TestService;
let tenant: Tenant;
beforeAll(async () => {
	service = await sharedService();
	tenant = await createTenant(service);
});

test("400 for a form without a file, a time without a zone, unknown members", async () => {
	const form = new FormData();
	form.set("password", "x");
	form.set("key", "x");
	const faults = ["/file required", "/key unknown-field"];
	await expectProblem(putCertificate(service, tenant, form), 400, "validation-error", faults);
	const twice = new FormData();
	twice.set("password", "x");
	twice.set("pkcs12", "AAAA");
	twice.set("file", new File(["x"], "firma.p12"));
	await expectProblem(putCertificate(service, tenant, twice), 400, "validation-error", ["/pkcs12 repeated"]);
	const { pkcs12, password } = await makePkcs12("right");
	for (const activateAt of ["2026-12-01", "2026-12-01T00:00:00", "tomorrow", "2026-13-41T00:00:00Z"]) {
		const body = { pkcs12, password, activateAt };
		const fault = ["/activateAt invalid-instant"];
		await expectProblem(putCertificate(service, tenant, body), 400, "validation-error", fault);
	}
	const unknown = ["/name unknown-field"];
	await expectProblem(
		putCertificate(service, tenant, { pkcs12, password, name: "x" }),
		400,
		"validation-error",
		unknown,
	);
});
