/** The signatures that the tests are made with, before a judge from outside. */
import { afterAll, expect, test } from "bun:test";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { findJudge } from "../../support/judges";
import { sharedIdentity } from "./authority";
import { ecf, summary } from "./documents";
import { sign } from "./signer";

const folder = mkdtempSync(join(tmpdir(), "simulator-signer-"));
afterAll(() => rmSync(folder, { recursive: true }));

const judge = findJudge("xmlsec1");

test.skipIf(!judge)("the signatures of these tests hold for another implementation", async () => {
	const identity = await sharedIdentity();
	const lines = identity.certificate.match(/.{1,64}/g) ?? [];
	const pem = join(folder, "certificate.pem");
	writeFileSync(pem, ["-----BEGIN CERTIFICATE-----", ...lines, "-----END CERTIFICATE-----", ""].join("\n"));
	const flags = ["--enabled-reference-uris", "empty,same-doc", "--id-attr:Id", "SignedProperties"];
	for (const profile of ["xmldsig", "xades-bes"] as const) {
		for (const xml of [ecf(), summary()]) {
			const file = join(folder, "signed.xml");
			writeFileSync(file, await sign(xml, identity, profile));
			expect(await judge?.("--verify", ...flags, "--pubkey-cert-pem", pem, file)).toMatchObject({ exitCode: 0 });
		}
	}
});
