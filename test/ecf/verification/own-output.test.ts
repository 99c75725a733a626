import { describe, expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import {
	SelfCheckError,
	type SignatureProfile,
	signReceivedXml,
	signXml,
	verifyOwnSignature,
} from "../../../src/ecf/signing";
import { verifyDocument } from "../../../src/ecf/verification";
import { canonicalize, OWN_LIMITS } from "../../../src/platform/xml";
import { anIdentity, anotherIdentity } from "../signing/samples";

const GOLDEN = join(import.meta.dir, "../../../data/golden/ecf");
const golden = readdirSync(GOLDEN).filter((file) => file.endsWith(".xml"));
const signedAt = new Date("2026-11-20T14:20:00.121Z");
const now = new Date("2026-11-20T14:21:00Z");
const identity = await anIdentity();
const profiles = ["xades-bes", "xmldsig"] as const satisfies readonly SignatureProfile[];

/** What the cheap check of our own output says. */
function isOwnSound(bytes: Uint8Array): boolean {
	try {
		verifyOwnSignature(bytes, identity);
		return true;
	} catch (error) {
		if (error instanceof SelfCheckError) return false;
		throw error;
	}
}

const verify = (bytes: Uint8Array) =>
	verifyDocument(bytes, { now, limits: OWN_LIMITS, expectedCertificate: identity.certificateDer });

describe("our own output", () => {
	for (const profile of profiles) {
		test(`in ${profile} passes the verifier and its own check, for every golden document`, () => {
			expect(golden.length).toBeGreaterThan(15);
			for (const file of golden) {
				const xml = readFileSync(join(GOLDEN, file), "utf8");
				const bytes = signXml(xml, identity, { profile, signedAt });
				const { content, ...rest } = verify(bytes);
				expect({ file, own: isOwnSound(bytes), ...rest }).toMatchObject({
					...{ file, own: true, integrity: "intact", trust: "trusted", faults: [], profile },
					signer: { holderDocument: "00100000009" },
				});
				expect(content && canonicalize(content)).toBe(xml);
			}
		});

		test(`in ${profile} is refused by its own check alone after indentation`, () => {
			for (const file of golden) {
				const xml = readFileSync(join(GOLDEN, file), "utf8");
				const text = new TextDecoder().decode(signXml(xml, identity, { profile, signedAt }));
				const bytes = new TextEncoder().encode(text.replaceAll("><", ">\n  <"));
				const { content, trust, isWithoutBlanks } = verify(bytes);
				expect({ file, own: isOwnSound(bytes), trust, isWithoutBlanks }).toEqual({
					...{ file, own: false, trust: "trusted", isWithoutBlanks: true },
				});
				expect(content && canonicalize(content)).toBe(xml);
			}
		});

		test(`in ${profile} is refused by both after a change`, () => {
			for (const file of golden) {
				const text = new TextDecoder().decode(
					signXml(readFileSync(join(GOLDEN, file), "utf8"), identity, { profile, signedAt }),
				);
				for (const [from, to] of [
					["990000001", "990000006"],
					["<Encabezado>", "<Encabezado> 0"],
					["<SignatureValue>", "<SignatureValue>A"],
				] as const) {
					const bytes = new TextEncoder().encode(text.replace(from, to));
					expect({ file, from, own: isOwnSound(bytes), content: verify(bytes).content }).toEqual({
						...{ file, from, own: false, content: undefined },
					});
				}
			}
		});
	}

	test("says when it was signed: SigningTime, or what the document states", () => {
		const [file = ""] = golden.filter((name) => name.startsWith("31-minimal"));
		const xml = readFileSync(join(GOLDEN, file), "utf8");
		const times = profiles.map((profile) => verify(signXml(xml, identity, { profile, signedAt })).signedAt);
		expect(times).toEqual(["2026-11-20T14:20:00.121Z", "2026-11-20T14:20:00.000Z"]);
	});

	test("is accepted for a signed seed, which states no time", () => {
		const seed = `<?xml version="1.0"?>\r\n<SemillaModel xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance">\r\n <valor>x</valor>\r\n</SemillaModel>`;
		for (const profile of profiles) {
			const { faults, content } = verify(signReceivedXml(seed, identity, { profile, signedAt }));
			expect({ faults, root: content?.localName }).toEqual({ faults: [], root: "SemillaModel" });
		}
	});

	test("by another certificate than the expected one is intact and not trusted", async () => {
		const bytes = signXml("<ECF><a>1</a></ECF>", await anotherIdentity(), { profile: "xmldsig", signedAt });
		expect(verify(bytes)).toMatchObject({
			...{ integrity: "intact", trust: "untrusted", faults: [{ code: "certificate-unexpected" }] },
		});
	});

	test("of ten thousand lines fits its limits, not those for documents from outside", () => {
		const line = `<Item>${Array.from({ length: 12 }, (_, index) => `<a${index}>1</a${index}>`).join("")}</Item>`;
		const bytes = signXml(`<ECF>${line.repeat(10_000)}</ECF>`, identity, { profile: "xades-bes", signedAt });
		expect(verify(bytes).faults).toEqual([]);
		expect(verifyDocument(bytes, { now }).faults).toMatchObject([{ code: "too-many-nodes" }]);
	});
});
