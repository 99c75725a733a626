/** `bun run verify` as it is run: its lines, its JSON, its exit codes. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { CHECK_NAMES } from "../../src/archive/verifier";
import {
	createTree,
	fromJson,
	makeConsistency,
	makeEntries,
	makeLogKey,
	pack,
	signAndSeal,
	toPem,
	toVerifierKey,
	writeCheckpoint,
} from "../archive/verifier/support/build-evidence";
import { findJudge } from "../support/judges";

const LIMIT_MS = 120_000;
const root = join(import.meta.dir, "../..");
const key = makeLogKey();
let folder: string;
let good: string;
let bad: string;

const run = async (...args: string[]) => {
	// Nothing of a service: no database, no settings, another folder.
	const child = Bun.spawn([process.execPath, join(root, "scripts/verify-evidence.ts"), ...args], {
		...{ cwd: folder, env: { PATH: process.env.PATH ?? "", HOME: folder }, stdout: "pipe", stderr: "pipe" },
	});
	const [out, error] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()]);
	return { code: await child.exited, out, error };
};
const keep = async (name: string, content: Uint8Array | string) => {
	await writeFile(join(folder, name), content);
	return join(folder, name);
};

beforeAll(async () => {
	folder = await mkdtemp(join(tmpdir(), "sello-verify-"));
	const entries = makeEntries({ document: await signAndSeal(5), key });
	good = await keep("good.zip", pack(entries));
	entries.set("document/note.txt", Buffer.from("x"));
	bad = await keep("bad.zip", pack(entries));
}, LIMIT_MS);
afterAll(() => rm(folder, { recursive: true }));

test(
	"good files exit with 0 and a line per check, bad ones with 1",
	async () => {
		const { code, out } = await run(good, "--key", toVerifierKey(key));
		expect({ code, first: out.split("\n")[0] }).toEqual({ code: 0, first: `${good}: ok: The evidence holds` });
		for (const name of CHECK_NAMES) expect(out).toContain(`(${name}): `);
		const both = await run(good, bad, "--lang", "es");
		expect(both.code).toBe(1);
		expect(both.out).toContain(`${good}: bien: La evidencia se sostiene, si la clave es la del archivo`);
		expect(both.out).toContain(`${bad}: FALLA: La evidencia no se sostiene`);
		expect(both.out).toContain("document/note.txt no debería estar");
	},
	LIMIT_MS,
);

test(
	"--json prints the same for a program",
	async () => {
		const { code, out } = await run("--json", good, bad);
		const results = JSON.parse(out);
		expect(code).toBe(1);
		expect(results).toMatchObject([
			{ file: good, ok: true },
			{ file: bad, ok: false },
		]);
		expect(results[1].checks[0]).toMatchObject({ name: "entries", ok: false, detail: { en: expect.any(String) } });
	},
	LIMIT_MS,
);

test(
	"the reader's authorities and later checkpoint are compared",
	async () => {
		const document = await signAndSeal(5);
		const entries = makeEntries({ document, key });
		const file = await keep("again.zip", pack(entries));
		const other = await signAndSeal(6);
		const certificate = /<X509Certificate>([^<]+)</.exec(Buffer.from(other.signed.ecf).toString())?.[1] ?? "";
		const { root: grownRoot } = createTree(document, 7, 20);
		const checkpoint = await keep("later.txt", writeCheckpoint(20, grownRoot, key));
		const consistency = await keep("consistency.json", JSON.stringify(makeConsistency(document, 20)));
		const grown = await run(file, "--checkpoint", checkpoint, "--consistency", consistency);
		expect(grown).toMatchObject({
			code: 0,
			out: expect.stringContaining("the archive of 20 leaves begins with the one of 11"),
		});
		const foreign = await run(file, "--key", toVerifierKey(makeLogKey()));
		expect(foreign).toMatchObject({ code: 1, out: expect.stringContaining("you gave") });
		// A certificate that is no authority's cannot be a bundle of them.
		const bundle = await keep("ca.pem", toPem(certificate));
		expect(await run(file, "--ca", bundle)).toMatchObject({
			code: 2,
			error: expect.stringContaining("not an authority's"),
		});
		const trusted = join(root, "test/ecf/verification/corpus/trusted.pem");
		const untrusted = await run(file, "--ca", trusted);
		expect(untrusted).toMatchObject({ code: 1, out: expect.stringContaining("certificate-untrusted") });
	},
	LIMIT_MS,
);

test(
	"an invalid command exits with 2 and one line",
	async () => {
		await mkdir(join(folder, "folder"));
		const cases = [
			[],
			["--lang", "fr", good],
			["--consistency", good, good],
			["--what", good],
			[join(folder, "nowhere.zip")],
			[join(folder, "folder")],
			["--ca", good, good],
		];
		for (const args of cases) {
			const { code, error } = await run(...args);
			expect({ args, code }).toEqual({ args, code: 2 });
			expect(error).toMatch(/^[^\n]+\n$/);
		}
	},
	LIMIT_MS,
);

test(
	"a name in a file cannot steer the terminal",
	async () => {
		const entries = makeEntries({ document: await signAndSeal(5), key });
		const receipt = fromJson(entries.get("receipt.json"));
		entries.set("receipt.json", Buffer.from(JSON.stringify({ ...receipt, "\u001b[2J\u202e": 1 })));
		const { code, out } = await run(await keep("escape.zip", pack(entries)));
		expect(code).toBe(1);
		expect(out.replaceAll("\n", "")).not.toMatch(/[\p{Cc}\p{Cf}]/u);
	},
	LIMIT_MS,
);

const openssl = findJudge("openssl");
const xmlsec = findJudge("verify-signature");

test.skipIf(!openssl || !xmlsec)(
	"other programs agree on the signatures of checkpoint, receipt and e-CF",
	async () => {
		const entries = makeEntries({ document: await signAndSeal(5), key });
		const [proof, receipt] = ["proof.json", "receipt.json"].map((name) => fromJson(entries.get(name)));
		const spki = Buffer.concat([Buffer.from("302a300506032b6570032100", "hex"), key.publicKey]);
		const publicKey = await keep("key.der", spki);
		const [text = "", line = ""] = proof.checkpoint.split(/(?<=\n)\n/);
		const notes: readonly (readonly [text: string, signature: Uint8Array])[] = [
			[text, Buffer.from(line.trim().split(" ")[2] ?? "", "base64").subarray(4)],
			[`${receipt.protected}.${receipt.payload}`, Buffer.from(receipt.signature, "base64url")],
		];
		for (const [signed, signature] of notes) {
			const files = [await keep("signed", signed), await keep("signature", signature)];
			const verdict = await openssl?.(
				...["pkeyutl", "-verify", "-rawin", "-pubin", "-keyform", "DER", "-inkey", publicKey],
				...["-in", files[0] ?? "", "-sigfile", files[1] ?? ""],
			);
			expect(verdict?.output).toContain("Verified Successfully");
		}
		const ecf = await keep("ecf.xml", entries.get("document/ecf.xml") ?? "");
		expect((await xmlsec?.(ecf))?.exitCode).toBe(0);
	},
	LIMIT_MS,
);
