/** Certificates that are refused, each with one fault, and nothing of them is kept. */
import { beforeAll, expect, test } from "bun:test";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { findJudge } from "../../support/judges";
import { createTenant, sharedService, type Tenant, type TestService } from "../../support/service";
import { listStatuses, putCertificate } from "../support/certificates";
import { makePkcs12 } from "../support/companies";
import { expectProblem } from "../support/problem";

let service: TestService;
let tenant: Tenant;
beforeAll(async () => {
	service = await sharedService();
	tenant = await createTenant(service);
});

/** Gives the sentence. */
async function expectRefusal(body: unknown, pointer: string, code: string): Promise<string | undefined> {
	const problem = await expectProblem(putCertificate(service, tenant, body), 422, "certificate-invalid");
	expect(problem.errors).toEqual([{ pointer, code, detail: problem.detail }]);
	return problem.detail;
}

test("a wrong password, an invalid container, an expired certificate", async () => {
	const before = await listStatuses(service, tenant);
	const { pkcs12 } = await makePkcs12("right");
	await expectRefusal({ pkcs12, password: "wrong" }, "/password", "wrong-password");
	await expectRefusal({ pkcs12: "AAAA", password: "" }, "/pkcs12", "unreadable");
	const old = await makePkcs12("right", "2026-02-01T00:00:00Z");
	const detail = await expectRefusal({ pkcs12: old.pkcs12, password: "right" }, "/pkcs12", "expired");
	expect(detail).toBe("The certificate expired on 2026-02-01T00:00:00.000Z.");
	expect(await listStatuses(service, tenant)).toEqual(before);
});

test("a holder's name with a zero byte, which no database stores", async () => {
	const { pkcs12, password } = await makePkcs12("right", "2036-01-01T00:00:00Z", "aes256", "JUANA\u0000 PEREZ");
	await expectRefusal({ pkcs12, password }, "/pkcs12", "unreadable-certificate");
});

test("a certificate that will have expired on its date", async () => {
	const soon = new Date(Date.now() + 10 * 86_400_000).toISOString();
	const { pkcs12, password } = await makePkcs12("right", soon);
	const activateAt = new Date(Date.now() + 11 * 86_400_000).toISOString();
	const detail = await expectRefusal({ pkcs12, password, activateAt }, "/pkcs12", "expired");
	expect(detail).toEndWith(`before it is to sign, at ${activateAt}.`);
	const old = await makePkcs12("right", "2026-02-01T00:00:00Z");
	const past = await expectRefusal({ pkcs12: old.pkcs12, password, activateAt }, "/pkcs12", "expired");
	expect(past).toBe("The certificate expired on 2026-02-01T00:00:00.000Z.");
});

const openssl = findJudge("openssl");
test.skipIf(!openssl)("a default openssl certificate is a CA, and the message explains the fix", async () => {
	const folder = mkdtempSync(join(tmpdir(), "sello-own-"));
	const make = async (...further: string[]) => {
		const [key, certificate, out] = ["key.pem", "cert.pem", "own.p12"].map((name) => join(folder, name)) as [
			string,
			string,
			string,
		];
		const subject = "/CN=JUANA PEREZ/serialNumber=IDCDO-00100000009";
		await openssl?.(
			...[
				"req",
				"-x509",
				"-newkey",
				"rsa:2048",
				"-nodes",
				"-days",
				"30",
				"-subj",
				subject,
				"-keyout",
				key,
				"-out",
				certificate,
			],
			...further,
		);
		await openssl?.("pkcs12", "-export", "-inkey", key, "-in", certificate, "-out", out, "-passout", "pass:prueba");
		return { pkcs12: readFileSync(out).toString("base64"), password: "prueba" };
	};
	try {
		const problem = await expectProblem(putCertificate(service, tenant, await make()), 422, "certificate-invalid");
		expect(problem.errors).toMatchObject([{ pointer: "/pkcs12", code: "authority-certificate" }]);
		// The words of the fault, as a newcomer would copy them.
		const further = /(-addext .*)$/.exec(problem.detail ?? "")?.[1]?.split(" ") ?? [];
		const taken = await putCertificate(service, tenant, await make(...further));
		expect([taken.status, await taken.json()]).toMatchObject([201, { probe: { signed: true, verified: true } }]);
	} finally {
		rmSync(folder, { recursive: true });
	}
});
