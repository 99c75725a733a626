import { afterAll, describe, expect, test } from "bun:test";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { readTrustedAuthorities, type Verification, verifyDocument } from "../../../src/ecf/verification";
import { canonicalize, isXmlElement, readXmlBytes } from "../../../src/platform/xml";
import { findJudge } from "../../support/judges";
import { CORPUS, CORPUS_NOW, readCorpusFile } from "./support/corpus";

const judge = findJudge("xmlsec1");
const folder = await mkdtemp(join(tmpdir(), "sello-mutations-"));
afterAll(() => rm(folder, { recursive: true }));

const authorities = readTrustedAuthorities(join(CORPUS, "trusted.pem"));
const verify = (bytes: Uint8Array): Verification => verifyDocument(bytes, { now: CORPUS_NOW, authorities });
const RUNS = 2_500;

const originals = ["xades", "plain", "exclusive", "indented"].map((name) => {
	const bytes = readCorpusFile(`genuine/${name}.xml`);
	const { content, signer } = verify(bytes);
	if (!content || !signer) throw new Error(`expected ${name} to be genuine`);
	const text = new TextDecoder().decode(bytes);
	return { bytes, text, canonical: canonicalize(content), thumbprint: signer.thumbprint, ranges: findElements(text) };
});
type Original = (typeof originals)[number];

/** Where elements begin and end in a text: every innermost one, and for each name the stretch from its first to its last tag. */
function findElements(text: string): (readonly [from: number, to: number])[] {
	const found = [...text.matchAll(/<([\w:]+)(?: [^>]*)?>[^<]*<\/\1>/g)].map(
		(match) => [match.index, match.index + match[0].length] as const,
	);
	for (const name of new Set([...text.matchAll(/<([\w:]+)/g)].map((match) => match[1] ?? ""))) {
		const from = text.indexOf(`<${name}`);
		const end = `</${name}>`;
		const to = text.lastIndexOf(end) + end.length;
		if (to > from && !found.some(([start]) => start === from)) found.push([from, to]);
	}
	return found;
}

const original = fc.constantFrom(...originals);
const natural = fc.nat({ max: 1_000_000 });
const pieces = fc.constantFrom(
	...["<!-- -->", "<?p?>", "<![CDATA[]]>", " ", "\n", "&#13;", "<x/>", "<x></x>", "9", "]]>", "&amp;", "<Signature/>"],
	...[' Id="properties"', ' xmlns:p="urn:p"', ' xmlns=""', ' xml:lang="es"', "\u0000", "\uFEFF", "A", "="],
);

/** Any bytes changed, dropped, put in. */
const byteMutation = fc.tuple(
	original,
	fc.array(fc.tuple(fc.nat({ max: 3 }), natural, fc.nat({ max: 255 })), { minLength: 1, maxLength: 3 }),
);

function mutateBytes({ bytes }: Original, changes: readonly (readonly [number, number, number])[]): Uint8Array {
	const mutated = [...bytes];
	for (const [kind, where, byte] of changes) {
		const at = where % mutated.length;
		if (kind === 0) mutated[at] = (mutated[at] ?? 0) ^ (1 << (byte % 8));
		else if (kind === 1) mutated[at] = byte;
		else if (kind === 2) mutated.splice(at, 1);
		else mutated.splice(at, 0, byte);
	}
	return Uint8Array.from(mutated);
}

/** Elements dropped, doubled, swapped, moved into others, and small pieces of markup put anywhere. */
const elementMutation = fc.tuple(original, fc.nat({ max: 4 }), natural, natural, pieces);

function mutateElements(
	{ text, ranges }: Original,
	kind: number,
	first: number,
	second: number,
	piece: string,
): Uint8Array {
	const [a, b] = [ranges[first % ranges.length] ?? [0, 0], ranges[second % ranges.length] ?? [0, 0]];
	const [early, late] = a[0] <= b[0] ? [a, b] : [b, a];
	const cut = text.slice(...early);
	const put = (at: number, what: string) => text.slice(0, at) + what + text.slice(at);
	let mutated: string;
	if (kind === 0) mutated = text.slice(0, early[0]) + text.slice(early[1]);
	else if (kind === 1) mutated = put(late[1], cut);
	else if (kind === 2 && early[1] <= late[0]) {
		mutated = text.slice(0, early[0]) + text.slice(...late) + text.slice(early[1], late[0]) + cut + text.slice(late[1]);
	} else if (kind === 3) mutated = put(text.indexOf(">", late[0]) + 1, cut);
	else mutated = put(first % text.length, piece);
	return new TextEncoder().encode(mutated);
}

const accepted: Uint8Array[] = [];

function expectUnchanged(from: Original, mutated: Uint8Array): void {
	const { faults, content, signer, isWithoutBlanks } = verify(mutated);
	if (!content) {
		expect(faults.length).toBeGreaterThan(0);
		return;
	}
	if (accepted.length < 400) accepted.push(isWithoutBlanks ? withoutBlanks(mutated) : mutated);
	expect(canonicalize(content)).toBe(from.canonical);
	expect(signer?.thumbprint).toBe(from.thumbprint);
}

/** What another verifier must accept. */
function withoutBlanks(bytes: Uint8Array): Uint8Array {
	const root = readXmlBytes(bytes);
	if (!isXmlElement(root)) throw new Error(root.detail);
	return new TextEncoder().encode(canonicalize(root, { dropsBlanks: true }));
}

describe("a genuine document that was changed at random", () => {
	test("with mutated bytes is accepted only with unchanged content and signer", () => {
		fc.assert(
			fc.property(byteMutation, ([from, changes]) => expectUnchanged(from, mutateBytes(from, changes))),
			{ numRuns: RUNS },
		);
	}, 120_000);

	test("with mutated elements is accepted only with unchanged content and signer", () => {
		fc.assert(
			fc.property(elementMutation, ([from, ...rest]) => expectUnchanged(from, mutateElements(from, ...rest))),
			{ numRuns: RUNS },
		);
	}, 120_000);

	test.skipIf(!judge)(
		"is accepted by xmlsec1 wherever it is accepted here",
		async () => {
			expect(accepted.length).toBeGreaterThan(0);
			const files: string[] = [];
			for (const [index, bytes] of accepted.entries()) {
				const file = join(folder, `${index}.xml`);
				await writeFile(file, bytes);
				files.push(file);
			}
			const verdict = await judge?.(
				...["--verify", "--trusted-pem", join(CORPUS, "trusted.pem"), "--verification-gmt-time", "2026-11-21 12:00:00"],
				...["--enabled-key-data", "x509", "--enabled-reference-uris", "empty,same-doc"],
				...["--id-attr:Id", "http://uri.etsi.org/01903/v1.3.2#:SignedProperties", ...files],
			);
			expect(verdict).toMatchObject({ exitCode: 0 });
		},
		120_000,
	);
});

test("bytes of any kind get an answer, never an error", () => {
	const anything = fc.oneof(
		fc.uint8Array({ maxLength: 300 }),
		fc.string({ unit: "binary", maxLength: 200 }).map((text) => new TextEncoder().encode(`<a>${text}</a>`)),
		fc.array(pieces, { maxLength: 20 }).map((parts) => new TextEncoder().encode(parts.join(""))),
	);
	fc.assert(
		fc.property(anything, (bytes) => {
			expect(verify(bytes)).toMatchObject({ integrity: "broken", trust: "untrusted" });
		}),
		{ numRuns: 2_000 },
	);
});

test("a certificate with any byte changed gets an answer, never an error", () => {
	const text = originals[1]?.text ?? "";
	const [, base64 = ""] = /<X509Certificate>([^<]+)/.exec(text) ?? [];
	const der = Buffer.from(base64, "base64");
	fc.assert(
		fc.property(fc.nat({ max: der.byteLength - 1 }), fc.nat({ max: 255 }), (at, byte) => {
			fc.pre(der[at] !== byte);
			const changed = Buffer.from(der);
			changed[at] = byte;
			const { faults, content } = verify(Buffer.from(text.replace(base64, changed.toString("base64"))));
			expect(content).toBeUndefined();
			expect(faults[0]?.code).toMatch(/^(certificate-|signature-value-wrong)/);
		}),
		{ numRuns: 3_000 },
	);
}, 120_000);
