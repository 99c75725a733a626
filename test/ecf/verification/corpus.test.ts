import { afterAll, describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type CorpusEntry, makeBundle, makeCorpus } from "../../../scripts/generate-attacks";
import {
	readTrustedAuthorities,
	type Verification,
	verifyDocument,
	verifyDocumentOnWeb,
} from "../../../src/ecf/verification";
import { canonicalize } from "../../../src/platform/xml";
import { findJudge } from "../../support/judges";
import { CORPUS, CORPUS_NOW, readCorpus, readCorpusFile } from "./support/corpus";

const folder = await mkdtemp(join(tmpdir(), "sello-corpus-"));
afterAll(() => rm(folder, { recursive: true }));

const authorities = readTrustedAuthorities(join(CORPUS, "trusted.pem"));
const manifest = readCorpus();
const hostile = manifest.filter((entry) => entry.fault !== undefined);
const genuine = manifest.filter((entry) => entry.fault === undefined);
/** Generous: each takes milliseconds. A verifier that hangs runs into it. */
const KIND_TIMEOUT_MS = 30_000;

const verify = (entry: CorpusEntry): Verification =>
	verifyDocument(readCorpusFile(entry.file), { now: CORPUS_NOW, authorities });

describe("the corpus", () => {
	test("is what its script makes, and nothing else", () => {
		const made = makeCorpus();
		expect(made.map(({ entry }) => entry)).toEqual(manifest);
		for (const { entry, bytes } of made) {
			const same = Buffer.compare(bytes, readCorpusFile(entry.file)) === 0;
			expect({ file: entry.file, same }).toEqual({ file: entry.file, same: true });
		}
		expect(readFileSync(join(CORPUS, "trusted.pem"), "utf8")).toBe(makeBundle());
	});

	test("has at least sixty hostile documents, no two of them alike, of every kind", () => {
		expect(hostile.length).toBeGreaterThanOrEqual(60);
		expect(new Set(hostile.map(({ file }) => Bun.hash(readCorpusFile(file)))).size).toBe(hostile.length);
		expect([...new Set(hostile.map(({ kind }) => kind))]).toEqual([
			...["reading", "wrapping", "structure", "mathematics", "signer"],
		]);
	});
});

describe("a hostile document is refused for its own reason", () => {
	for (const kind of new Set(hostile.map((entry) => entry.kind))) {
		const entries = hostile.filter((entry) => entry.kind === kind);
		test(
			`in ${entries.length} cases of ${kind}`,
			() => {
				for (const entry of entries) {
					const { faults, content } = verify(entry);
					const got = { file: entry.file, shows: entry.shows, fault: faults[0]?.code, content };
					expect<unknown>(got).toEqual({
						file: entry.file,
						shows: entry.shows,
						fault: entry.fault,
						content: undefined,
					});
				}
			},
			KIND_TIMEOUT_MS,
		);
	}

	test(
		"and a browser's engine comes to the same result, of the genuine ones too",
		async () => {
			for (const entry of manifest) {
				const web = await verifyDocumentOnWeb(readCorpusFile(entry.file), { now: CORPUS_NOW, authorities });
				const { content, ...reported } = verify(entry);
				expect<unknown>({ file: entry.file, content: web.content?.name, ...reported }).toEqual({
					...{ file: entry.file, content: content?.name, integrity: web.integrity, trust: web.trust },
					...{ faults: web.faults, profile: web.profile, signer: web.signer },
					...{ signedAt: web.signedAt, signatureValue: web.signatureValue },
				});
			}
		},
		KIND_TIMEOUT_MS,
	);

	test("and never called trusted", () => {
		expect(hostile.filter((entry) => verify(entry).trust === "trusted")).toEqual([]);
	});
});

describe("a genuine document", () => {
	for (const entry of genuine) {
		test(`is accepted: ${entry.shows}`, () => {
			const { faults, integrity, trust, signer, content } = verify(entry);
			expect(faults).toEqual([]);
			expect({ integrity, trust }).toEqual({ integrity: "intact", trust: "trusted" });
			expect(signer?.holderDocument).toBe("00100000009");
			expect(content?.localName).toBe(entry.file.endsWith("/seed.xml") ? "SemillaModel" : "ECF");
		});
	}
});

describe("white space that was added between elements after signing", () => {
	/** Byte by byte, so that other encodings stay what they are. */
	const indent = (bytes: Uint8Array) =>
		Buffer.from(
			Buffer.from(bytes)
				.toString("latin1")
				.replace(/>[ \r\n]*</g, ">\r\n\t <"),
			"latin1",
		);
	const blankSigned = ["genuine/indented.xml", "genuine/other-spelling.xml"];

	test("changes nothing: content and signer are those of the signed bytes", () => {
		for (const { file } of genuine) {
			const original = verifyDocument(readCorpusFile(file), { now: CORPUS_NOW, authorities });
			const { content, ...indented } = verifyDocument(indent(readCorpusFile(file)), { now: CORPUS_NOW, authorities });
			if (blankSigned.includes(file)) {
				expect({ file, content, integrity: indented.integrity }).toEqual({
					...{ file, content: undefined, integrity: "broken" },
				});
				continue;
			}
			const { content: signed, ...expected } = original;
			if (!signed || !content) throw new Error(`${file} was not accepted`);
			expect<unknown>(indented).toEqual({ ...expected, isWithoutBlanks: true });
			expect(canonicalize(content)).toBe(canonicalize(signed));
		}
	});

	test("does not make any hostile document acceptable", () => {
		for (const { file } of hostile) {
			const { content, trust } = verifyDocument(indent(readCorpusFile(file)), { now: CORPUS_NOW, authorities });
			expect({ file, content, trust }).toEqual({ file, content: undefined, trust: "untrusted" });
		}
	}, 60_000);
});

test("without a bundle integrity is judged and no signer is trusted", () => {
	const names = ["genuine/xades", "signer/certificate-self-made", "signer/certificate-namesake"];
	for (const name of names) {
		const { integrity, trust, faults } = verifyDocument(readCorpusFile(`${name}.xml`), { now: CORPUS_NOW });
		expect({ name, integrity, trust, faults }).toEqual({ name, integrity: "intact", trust: "untrusted", faults: [] });
	}
});

const judge = findJudge("xmlsec1");

describe("xmlsec1", () => {
	const ask = async (entry: CorpusEntry) => {
		const file = join(folder, entry.file.replaceAll("/", "-"));
		await writeFile(file, readCorpusFile(entry.file));
		const verdict = await judge?.(
			...["--verify", "--trusted-pem", join(CORPUS, "trusted.pem"), "--verification-gmt-time", "2026-11-21 12:00:00"],
			...["--enabled-key-data", "x509", "--enabled-reference-uris", "empty,same-doc"],
			...["--id-attr:Id", "http://uri.etsi.org/01903/v1.3.2#:SignedProperties", file],
		);
		return { file: entry.file, accepts: verdict?.exitCode === 0 };
	};

	test.skipIf(!judge)(
		"accepts every genuine document",
		async () => {
			for (const entry of genuine) expect(await ask(entry)).toEqual({ file: entry.file, accepts: true });
		},
		120_000,
	);

	test.skipIf(!judge)(
		"refuses every document of which only the mathematics is wrong",
		async () => {
			const wrong = hostile.filter(({ isMath }) => isMath);
			expect(wrong.length).toBeGreaterThan(25);
			for (const entry of wrong) expect(await ask(entry)).toEqual({ file: entry.file, accepts: false });
		},
		120_000,
	);
});
