import { afterAll, describe, expect, test } from "bun:test";
import { createPublicKey } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { identities } from "../../../scripts/attacks";
import { makeBundle } from "../../../scripts/generate-attacks";
import {
	readTrustedAuthorities,
	type TrustedAuthority,
	TrustedAuthorityError,
	verifyDocument,
} from "../../../src/ecf/verification";
import { CORPUS, CORPUS_NOW, readCorpusFile } from "./support/corpus";

const folder = mkdtempSync(join(tmpdir(), "sello-authorities-"));
afterAll(() => rmSync(folder, { recursive: true }));

let files = 0;
function write(text: string): string {
	const path = join(folder, `${files++}.pem`);
	writeFileSync(path, text);
	return path;
}
const toPem = (der: Uint8Array) =>
	`-----BEGIN CERTIFICATE-----\n${Buffer.from(der).toString("base64")}\n-----END CERTIFICATE-----\n`;

describe("a bundle of trusted authorities", () => {
	test("is read with all its certificates, whatever text stands between them", () => {
		const path = write(`Entidad de prueba\r\n${makeBundle()}\n# and again\n${makeBundle()}`);
		expect(readTrustedAuthorities(path).map(({ subject }) => subject)).toEqual([
			"CN=ENTIDAD DE CERTIFICACION DE PRUEBA",
			"CN=ENTIDAD DE CERTIFICACION DE PRUEBA",
		]);
	});

	test("is refused when it is missing, empty, cut short, or holds what is no authority's", () => {
		const cases = {
			"cannot be read": join(folder, "missing.pem"),
			"no PEM certificate": write("nothing here\n"),
			"does not end": write(`${makeBundle()}${makeBundle().slice(0, 300)}`),
			"certificate 2": write(`${makeBundle()}${toPem(Buffer.from("hello"))}`),
			"not an authority's": write(toPem(identities.good.certificateDer)),
		};
		for (const [finding, path] of Object.entries(cases)) {
			expect(() => readTrustedAuthorities(path)).toThrow(TrustedAuthorityError);
			expect(() => readTrustedAuthorities(path)).toThrow(finding);
		}
	});

	test("is judged at the time of signing: the authority must have been in force then", () => {
		const authorities = readTrustedAuthorities(join(CORPUS, "trusted.pem"));
		const over = authorities.map((authority) => ({ ...authority, notAfter: new Date("2026-11-20T14:19:59Z") }));
		const bytes = readCorpusFile("genuine/xades.xml");
		expect(verifyDocument(bytes, { now: CORPUS_NOW, authorities: over }).faults).toMatchObject([
			{ code: "certificate-untrusted" },
		]);
		expect(verifyDocument(bytes, { now: CORPUS_NOW, authorities: [] })).toMatchObject({
			...{ integrity: "intact", trust: "untrusted", faults: [{ code: "certificate-untrusted" }] },
		});
	});

	test("finds the right one among several of the same name", () => {
		const [genuine] = readTrustedAuthorities(write(makeBundle()));
		const namesake = readTrustedAuthorities(write(toPem(identities.authority.certificateDer)))[0];
		if (!genuine || !namesake) throw new Error("expected two authorities");
		const other = {
			...namesake,
			publicKey: new Uint8Array(
				createPublicKey(identities.namesake.privateKey.export({ type: "pkcs8", format: "pem" })).export({
					...{ type: "spki", format: "der" },
				}),
			),
		};
		const verify = (authorities: readonly TrustedAuthority[]) =>
			verifyDocument(readCorpusFile("genuine/xades.xml"), { now: CORPUS_NOW, authorities }).trust;
		expect(verify([other, genuine])).toBe("trusted");
		expect(verify([other])).toBe("untrusted");
	});
});
