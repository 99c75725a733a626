/**
 * How close does signing come to the cost of the key operation alone, with each of the two engines?
 *
 * We measure two paths. "Signed and checked" turns an e-CF's text into signed bytes, which are read back and verified. "Whole way" starts
 * from
 * the invoice and includes mapping and writing. xadesjs gets the same text, parses, signs and serialises it; its output is not verified.
 * All
 * run on one core in one thread; each engine has its own process, as in the service, with its peer beside it.
 *
 * Proof that real signatures were counted: signing is deterministic, so each of our sides signs a set of documents once. xadesjs, with the
 * pinned key, and xmlsec1 verify these. Every measured signature must equal the one in the set byte for byte.
 */
import { X509Certificate } from "node:crypto";
import { join } from "node:path";
import { bunEngine, openEngine } from "../src/ecf/signing";
import { createEphemeralIdentity } from "../src/ecf/signing/ephemeral-identity";
import { verifyByReference } from "../test/ecf/signing/reference";
import { findJudge } from "../test/support/judges";
import { type BenchOptions, type Figure, toCostFigure, toFigure } from "./bench";
import { makeFolder, startChild } from "./child";
import type { Measured } from "./measure";
import type { SignAnswer, SignQuestion } from "./sign.process";

export const question = "How many e-CF of ten lines are signed and checked per second on one core?";
export const peer = "bare RSA-2048 of the same engine and of the runtime's, and xadesjs signing the same document";

export async function run({ smoke }: BenchOptions): Promise<Figure[]> {
	await using stack = new AsyncDisposableStack();
	const made = await createEphemeralIdentity({
		holderName: "FIRMANTE DE PRUEBA",
		holderDocument: "99900000001",
		notBefore: new Date("2026-01-01T00:00:00Z"),
		notAfter: new Date("2030-01-01T00:00:00Z"),
	});
	const hasOpenssl = openEngine("auto").engine !== bunEngine;
	if (!hasOpenssl) console.warn("there is no OpenSSL 3 here, so only the runtime's engine is measured");
	const rounds = smoke
		? { rounds: 1, seconds: 0.1, warmUpSeconds: 0.1 }
		: // Many short turns: other load changes within a second, and sides are compared within a round.
			{ rounds: 120, seconds: 0.1, warmUpSeconds: 1 };
	const measured: SignAnswer[] = [];
	for (const engine of hasOpenssl ? (["bun", "auto"] as const) : (["bun"] as const)) {
		const child = startChild<SignQuestion, SignAnswer>(stack, "sign.process.ts");
		const certificateDer = Buffer.from(made.certificateDer).toString("base64");
		const pkcs8Der = Buffer.from(made.pkcs8Der).toString("base64");
		measured.push(await child.ask({ engine, certificateDer, pkcs8Der, rounds }));
	}
	const samples = measured.flatMap((one) => one.samples.map((text) => Uint8Array.from(Buffer.from(text, "base64"))));
	for (const document of samples) {
		if (!(await verifyByReference(document, made.certificateDer))) throw new Error("xadesjs refuses a signature");
	}
	await verifyWithXmlsec1(stack, samples, made.certificateDer);
	return measured.flatMap(toFigures);
}

/** An engine's signatures compared with its own bare RSA, the runtime's bare RSA and xadesjs, where a figure is needed. */
function toFigures({ engine, measured }: SignAnswer): Figure[] {
	const side = (name: string): Measured => measured[name] ?? { perSecond: [], cpuMicros: [] };
	const isBun = engine === bunEngine.name;
	const wanted: Record<string, string> = isBun
		? { [`${engine} raw`]: "≥ 0.93", xadesjs: "≥ 7" }
		: { [`${engine} raw`]: "≥ 0.82", [`${bunEngine.name} raw`]: "≥ 1.7" };
	const figures = [
		...(isBun ? [toFigure("xadesjs, unchecked", "signatures/s", side("xadesjs").perSecond)] : []),
		toFigure(`${engine}: bare RSA-2048`, "signatures/s", side(`${engine} raw`).perSecond),
	];
	for (const [kind, title] of [
		["signature", "signed and checked"],
		["whole", "whole way"],
	] as const) {
		const own = side(`${engine} ${kind}`);
		for (const [other, target] of Object.entries(wanted)) {
			const { perSecond, cpuMicros } = side(other);
			const against = { peer: other, rounds: perSecond };
			figures.push(toFigure(`${engine}: ${title}`, "signatures/s", own.perSecond, { against, target }));
			const cost = { peer: other, rounds: cpuMicros };
			figures.push(...toCostFigure(`${engine}: ${title}, processor time`, own.cpuMicros, cost, target));
		}
	}
	return figures;
}

/** Verifies samples with an implementation in another language; prints a message if it is missing. */
async function verifyWithXmlsec1(
	stack: AsyncDisposableStack,
	documents: readonly Uint8Array[],
	certificateDer: Uint8Array,
): Promise<void> {
	const judge = findJudge("xmlsec1");
	if (!judge) return;
	const folder = makeFolder(stack);
	const key = join(folder, "key.pem");
	const { publicKey } = new X509Certificate(certificateDer);
	await Bun.write(key, publicKey.export({ type: "spki", format: "pem" }));
	const files = documents.map((_, i) => join(folder, `${i}.xml`));
	for (const [i, file] of files.entries()) await Bun.write(file, documents[i] ?? "");
	const references = ["--enabled-reference-uris", "empty,same-doc", "--id-attr:Id", "SignedProperties"];
	const { exitCode, output } = await judge("--verify", ...references, "--pubkey-pem", key, ...files);
	if (exitCode !== 0) throw new Error(`xmlsec1 refuses a signature: ${output}`);
}
