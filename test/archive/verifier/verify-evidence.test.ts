import { describe, expect, test } from "bun:test";
import { join } from "node:path";
import { CHECK_NAMES, type EvidenceOptions, type EvidenceReport, verifyEvidence } from "../../../src/archive/verifier";
import { readExamples } from "../../ecf/signing/samples";
import {
	createTree,
	fromJson,
	inputOf,
	makeConsistency,
	makeEntries,
	makeLogKey,
	NOW,
	pack,
	signAndSeal,
	toVerifierKey,
	writeCheckpoint,
} from "./support/build-evidence";
import { tamper } from "./support/tampered";

const key = makeLogKey();
const [document, other, small] = await Promise.all([
	signAndSeal(5),
	signAndSeal(6),
	signAndSeal(7, { input: inputOf(7, "32") }),
]);
const verifierKey = toVerifierKey(key);

const verify = (bytes: Uint8Array, options: Partial<EvidenceOptions> = {}) =>
	verifyEvidence(bytes, { now: NOW, ...options });
const named = (report: EvidenceReport, ok: boolean | null) =>
	report.checks.filter((check) => check.ok === ok).map(({ name }) => name);
const detailOf = (report: EvidenceReport, name: string) =>
	report.checks.find((check) => check.name === name)?.detail.en;

describe("good evidence", () => {
	test("passes every check, and names what was not checked", async () => {
		const report = await verify(pack(makeEntries({ document, key })));
		expect(report.checks.filter(({ ok }) => ok === false)).toEqual([]);
		expect(report.ok).toBe(true);
		expect(report.checks.map(({ name }) => name)).toEqual([...CHECK_NAMES]);
		expect(named(report, null)).toEqual(["summary-signature", "issuer", "registry", "key", "consistency"]);
		expect(report.verdict.en).toBe("The evidence holds, if the key is the archive's");
		expect(detailOf(report, "key")).toContain(verifierKey);
		expect(detailOf(report, "key")).toContain("proves nothing by itself");
		expect(detailOf(report, "issuer")).toContain("trust was not checked");
	});

	test("of a consumer invoice has a summary whose signature is checked too", async () => {
		const report = await verify(pack(makeEntries({ document: small, key })), { key: verifierKey });
		expect(report.checks.filter(({ ok }) => ok === false)).toEqual([]);
		expect(named(report, null)).toEqual(["issuer", "registry", "consistency"]);
	});

	test("says what the registry held of the buyer when the invoice was issued", async () => {
		const input = inputOf(6);
		const [issuer, buyer] = [input.issuer.rnc, String(input.invoice.customer?.rnc)].map((rnc) => ({
			...{ rnc: rnc ?? "", status: "ACTIVO" },
		}));
		const registry = { run_id: "0192ef00-5a4b-7c3d-8e2f-1a0b9c8d7e6f", source_sha256: "ab".repeat(32), issuer, buyer };
		const report = await verify(pack(makeEntries({ document: await signAndSeal(6, { input, registry }), key })));
		expect(report.checks.filter(({ ok }) => ok === false)).toEqual([]);
		expect(report.checks.find(({ name }) => name === "registry")?.detail).toEqual({
			en: expect.stringContaining("buyer when invoiced: ACTIVO"),
			es: expect.stringContaining("comprador al facturar: ACTIVO"),
		});
		const swapped = { ...registry, buyer: issuer };
		const foreign = await verify(
			pack(makeEntries({ document: await signAndSeal(6, { input, registry: swapped }), key })),
		);
		expect(named(foreign, false)).toEqual(["registry"]);
	});

	test("is valid for every kind of example invoice", async () => {
		for (const { name, input } of readExamples()) {
			const one = await signAndSeal(5, { input });
			const report = await verify(pack(makeEntries({ document: one, key })));
			const bad = report.checks.filter(({ ok }) => ok === false);
			expect({ name, bad, summary: named(report, true).includes("summary-signature") }).toEqual({
				...{ name, bad: [], summary: one.signed.summary !== undefined },
			});
		}
	});

	test("may be of a rejected document, or of one that failed without a verdict", async () => {
		const rejected = await signAndSeal(5, { status: "rejected", codigo: "2" });
		expect(named(await verify(pack(makeEntries({ document: rejected, key }))), false)).toEqual([]);
		const failed = await signAndSeal(5, { status: "failed", codigo: undefined });
		const report = await verify(pack(makeEntries({ document: failed, key })));
		expect(named(report, false)).toEqual([]);
		expect(named(report, null)).toContain("answers");
		const strayed = await verify(
			pack(makeEntries({ document: await signAndSeal(5, { stray: "E310000009999" }), key })),
		);
		expect(named(strayed, false)).toEqual([]);
		expect(detailOf(strayed, "answers")).toContain("ignored: answers/002-result.json is about E310000009999");
		const contradicted = await signAndSeal(5, { status: "accepted", codigo: "2" });
		expect(named(await verify(pack(makeEntries({ document: contradicted, key }))), false)).toEqual(["answers"]);
	});

	test("is valid for any position of the leaf in the tree", async () => {
		for (const leafIndex of [0, 3, 8, 10]) {
			const report = await verify(pack(makeEntries({ document, key, leafIndex })));
			// The third link of a chain cannot be the first leaf.
			expect({ leafIndex, bad: named(report, false) }).toEqual({ leafIndex, bad: leafIndex < 3 ? ["chain"] : [] });
		}
	});
});

describe("changed evidence", () => {
	for (const { name, bytes, fails, says } of tamper(document, other, key)) {
		test(`is refused for what is wrong with it: ${name}`, async () => {
			const report = await verify(bytes, { key: verifierKey });
			expect(report.ok).toBe(false);
			expect(named(report, false)).toEqual([...fails]);
			expect(report.checks.map((check) => check.name)).toEqual([...CHECK_NAMES]);
			expect(detailOf(report, fails[0] ?? "")).toContain(says);
		});
	}
});

describe("the reader's own inputs", () => {
	const bytes = pack(makeEntries({ document, key }));
	const grown = writeCheckpoint(20, createTree(document, 7, 20).root, key);
	const consistency = makeConsistency(document, 20);
	const { logs } = consistency;

	test("a key must be the archive's, and be a key", async () => {
		expect(named(await verify(bytes, { key: verifierKey }), false)).toEqual([]);
		expect(named(await verify(bytes, { key: toVerifierKey(makeLogKey()) }), false)).toEqual(["key"]);
		expect(detailOf(await verify(bytes, { key: "hello" }), "key")).toContain("not a verifier key");
	});

	test("another checkpoint of the same size must have the same root", async () => {
		const same = fromJson(makeEntries({ document, key }).get("proof.json")).checkpoint;
		expect(detailOf(await verify(bytes, { checkpoint: same }), "consistency")).toContain("begins with");
		const rewritten = writeCheckpoint(11, createTree(other, 7).root, key);
		expect(named(await verify(bytes, { checkpoint: rewritten }), false)).toEqual(["consistency"]);
	});

	test("another checkpoint of another size needs a proof that the tree has only grown", async () => {
		const open = await verify(bytes, { checkpoint: grown });
		expect(open.checks.find(({ name }) => name === "consistency")).toMatchObject({ ok: null });
		expect(detailOf(open, "consistency")).toContain("comparing them needs a consistency proof");
		expect(named(await verify(bytes, { checkpoint: grown, consistency }), false)).toEqual([]);
		const wrong = [
			{ ...consistency, logs: logs.map((one) => ({ ...one, hashes: one.hashes.slice(1) })) },
			{ ...consistency, logs: logs.slice(1) },
			{ ...consistency, logs: logs.map((one) => ({ ...one, to: one.from, toRoot: one.fromRoot, hashes: [] })) },
			{ ...consistency, from: 10 },
			{ logs: 1 },
			null,
		];
		for (const proof of wrong) {
			expect(named(await verify(bytes, { checkpoint: grown, consistency: proof }), false)).toEqual(["consistency"]);
		}
	});

	test("a checkpoint signed by another key is refused", async () => {
		const foreign = writeCheckpoint(20, createTree(document, 7, 20).root, makeLogKey());
		const report = await verify(bytes, { checkpoint: foreign, consistency });
		expect(named(report, false)).toEqual(["consistency"]);
		expect(detailOf(report, "consistency")).toContain("If the archive has changed its key");
		expect(named(await verify(bytes, { checkpoint: "hello" }), false)).toEqual(["consistency"]);
	});
});

test("a signing time in the future is refused", async () => {
	const report = await verify(pack(makeEntries({ document, key })), { now: new Date("2026-11-19T00:00:00Z") });
	expect(named(report, false)).toEqual(["signature"]);
	expect(detailOf(report, "signature")).toContain("signing-time-in-future");
});

test("every changed bit of the evidence is detected, except in the container", async () => {
	const good = makeEntries({ document, key });
	for (const name of good.keys()) {
		const bytes = Buffer.from(good.get(name) ?? []);
		for (let n = 0; n < 8; n++) {
			const at = Math.floor((bytes.length * (n + 0.5)) / 8);
			const changed = Buffer.from(bytes);
			changed[at] = (changed[at] ?? 0) ^ 2;
			const report = await verify(pack(new Map([...good, [name, changed]])), { key: verifierKey });
			// The text for people, and white space between the members of JSON, prove nothing.
			const isMeaningless = name === "README.txt" || /\s/.test(String.fromCharCode(bytes[at] ?? 0));
			if (!isMeaningless) expect({ name, at, ok: report.ok }).toEqual({ name, at, ok: false });
		}
	}
});

describe("evidence of an archive of one tree, made before there were logs", () => {
	const read = (name: string) => Bun.file(join(import.meta.dir, "kept", name));
	const now = new Date("2026-11-28T12:00:00Z");

	test.each(["accepted.zip", "summary.zip"])("%s holds under the key that was published then", async (name) => {
		const published = await read("published.json").json();
		const report = await verify(await read(name).bytes(), { now, key: published.key });
		expect(named(report, false)).toEqual([]);
		expect(report.verdict.en).toBe("The evidence holds");
	});

	test("agrees with a later checkpoint of one tree", async () => {
		const published = await read("published.json").json();
		const bytes = await read("accepted.zip").bytes();
		const report = await verify(bytes, { now, ...published });
		expect([named(report, false), named(report, null)]).toEqual([[], ["summary-signature", "issuer"]]);
		const wrong = { ...published.consistency, hashes: [] };
		expect(named(await verify(bytes, { now, ...published, consistency: wrong }), false)).toEqual(["consistency"]);
	});
});
