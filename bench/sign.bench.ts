/**
 * How close does signing come to what the key operation alone costs, with each of the two engines?
 *
 * Two of ours. "Signed and checked" is the signature: an e-CF's text becomes signed bytes, which are read back and verified.
 * "Whole way" begins with the invoice: mapping and writing come before it. xadesjs gets the same text, parses, signs and
 * serialises it; its output is checked by nobody. All on one core, in one thread.
 *
 * Proof that what was counted are signatures: signing is deterministic, so each of our sides signs a set of documents once;
 * they are verified by xadesjs with the pinned key and by xmlsec1; and every signature made while measuring must be, byte
 * for byte, the one in the set.
 */
import { randomBytes, X509Certificate } from "node:crypto";
import { join } from "node:path";
import { Parse, SignedXml } from "xadesjs";
import {
	bunEngine,
	type EcfInput,
	type IdentityBytes,
	openEngine,
	planEcf,
	type RsaEngine,
	signEcf,
	signXml,
	toSigningIdentity,
	verifyOwnSignature,
	writeEcf,
} from "../src/signing";
import { createEphemeralIdentity } from "../src/signing/ephemeral-identity";
import { verifyByReference } from "../test/signing/reference";
import { findJudge } from "../test/support/judges";
import { type BenchOptions, type Figure, toCostFigure, toFigure } from "./bench";
import { makeFolder } from "./child";
import { buildInvoice } from "./invoice";
import { type Measured, measureInTurn, type Side } from "./measure";

export const question = "How many e-CF of ten lines are signed and checked per second on one core?";
export const peer = "bare RSA-2048 of the same engine and of the runtime's, and xadesjs signing the same document";

const ISSUER = { rnc: "990000001", name: "FERRETERIA EL PROGRESO SRL" };
const SIGNED_AT = "2026-11-20T14:20:00.121Z";
/** About what a SignedInfo has. */
const INPUT_BYTES = 900;
const RSA = { name: "RSASSA-PKCS1-v1_5", hash: "SHA-256" };
/** Few, so that they stay in the processor's cache: in the service a document is signed when it has just been written. */
const DOCUMENTS = 20;
const OPTIONS = { profile: "xades-bes", signedAt: new Date(SIGNED_AT) } as const;

export async function run({ smoke }: BenchOptions): Promise<Figure[]> {
	await using stack = new AsyncDisposableStack();
	const made = await createEphemeralIdentity({
		holderName: "FIRMANTE DE PRUEBA",
		holderDocument: "99900000001",
		notBefore: new Date("2026-01-01T00:00:00Z"),
		notAfter: new Date("2030-01-01T00:00:00Z"),
	});
	const inputs = Array.from({ length: DOCUMENTS }, (_, i) => toInput(i + 1));
	const { engine } = openEngine("auto");
	const engines = engine === bunEngine ? [bunEngine] : [bunEngine, engine];
	if (engines.length === 1) console.warn("there is no OpenSSL 3 here, so only the runtime's engine is measured");

	const ours = engines.map((one) => openEngineSides(one, made, inputs));
	const theirs = await openXadesjs(made, inputs);
	const sides: Record<string, Side> = { xadesjs: theirs.next };
	for (const { name, raw, signature, whole } of ours) {
		Object.assign(sides, {
			[`${name} raw`]: raw,
			[`${name} signature`]: signature.next,
			[`${name} whole`]: whole.next,
		});
	}
	const rounds = smoke
		? { rounds: 1, seconds: 0.1, warmUpSeconds: 0.1 }
		: // Many short turns: what else the machine does changes within a second, and sides are compared within a round.
			{ rounds: 120, seconds: 0.1, warmUpSeconds: 1 };
	const measured = await measureInTurn(sides, rounds);

	const samples = ours.flatMap(({ signature, whole }) => [...signature.all, ...whole.all]);
	for (const document of [...samples, theirs.last()]) {
		if (!(await verifyByReference(document, made.certificateDer))) throw new Error("xadesjs refuses a signature");
	}
	await verifyWithXmlsec1(stack, [...samples, theirs.last()], made.certificateDer);
	for (const { signature, whole } of ours) for (const side of [signature, whole]) side.refuseDifferences();
	return toFigures(measured, ours);
}

type EngineSides = ReturnType<typeof openEngineSides>;

function openEngineSides(engine: RsaEngine, made: IdentityBytes, inputs: readonly EcfInput[]) {
	const identity = toSigningIdentity(made, engine);
	const noise = randomBytes(INPUT_BYTES);
	const texts = inputs.map((input) => writeEcf(planEcf(input)));
	return {
		name: engine.name,
		raw: () => identity.rsa.sign(noise),
		signature: signAgain(texts, (text) => {
			const signed = signXml(text, identity, OPTIONS);
			verifyOwnSignature(signed, identity);
			return signed;
		}),
		whole: signAgain(inputs, (input) => signEcf(input, identity, OPTIONS.profile).ecf),
	};
}

/** Each engine's signatures against its own bare RSA, the runtime's bare RSA and xadesjs, where a figure is wanted. */
function toFigures(measured: Readonly<Record<string, Measured>>, ours: readonly EngineSides[]): Figure[] {
	const side = (name: string): Measured => measured[name] ?? { perSecond: [], cpuMicros: [] };
	const figures = [toFigure("xadesjs, unchecked", "signatures/s", side("xadesjs").perSecond)];
	for (const { name } of ours)
		figures.push(toFigure(`${name}: bare RSA-2048`, "signatures/s", side(`${name} raw`).perSecond));
	for (const { name } of ours) {
		const isBun = name === bunEngine.name;
		const wanted: Record<string, string> = isBun
			? { [`${name} raw`]: "≥ 0.93", xadesjs: "≥ 7" }
			: { [`${name} raw`]: "≥ 0.82", [`${bunEngine.name} raw`]: "≥ 1.7" };
		for (const [kind, title] of [
			["signature", "signed and checked"],
			["whole", "whole way"],
		] as const) {
			const own = side(`${name} ${kind}`);
			for (const [other, target] of Object.entries(wanted)) {
				const { perSecond, cpuMicros } = side(other);
				const against = { peer: other, rounds: perSecond };
				figures.push(toFigure(`${name}: ${title}`, "signatures/s", own.perSecond, { against, target }));
				const cost = { peer: other, rounds: cpuMicros };
				figures.push(...toCostFigure(`${name}: ${title}, processor time`, own.cpuMicros, cost, target));
			}
		}
	}
	return figures;
}

function toInput(number: number): EcfInput {
	return {
		invoice: buildInvoice(ISSUER, `E31${String(number).padStart(10, "0")}`),
		issuer: ISSUER,
		sequenceExpiresOn: "2028-12-31",
		signedAt: SIGNED_AT,
	};
}

/** Signs what it is given round and round; keeps the first signature of each and compares every later one with it. */
function signAgain<Given>(given: readonly Given[], signOne: (one: Given) => Uint8Array) {
	const firsts = given.map((one) => Buffer.from(signOne(one)));
	let count = 0;
	let different = 0;
	return {
		next: (): void => {
			const at = count++ % given.length;
			const one = given[at];
			if (one !== undefined && !firsts[at]?.equals(signOne(one))) different++;
		},
		all: firsts as readonly Uint8Array[],
		refuseDifferences(): void {
			if (different > 0) throw new Error(`${different} of ${count} signatures are not the ones that were verified`);
		},
	};
}

/** The same documents through xadesjs. */
async function openXadesjs({ certificateDer, pkcs8Der }: IdentityBytes, inputs: readonly EcfInput[]) {
	const key = await crypto.subtle.importKey("pkcs8", new Uint8Array(pkcs8Der), RSA, false, ["sign"]);
	const certificate = Buffer.from(certificateDer).toString("base64");
	const texts = inputs.map((input) => writeEcf(planEcf(input)));
	let count = 0;
	let last = "";
	return {
		next: async (): Promise<void> => {
			const document = Parse(texts[count++ % texts.length] ?? "");
			const signed = new SignedXml();
			await signed.Sign(RSA, key, document, {
				x509: [certificate],
				signingCertificate: certificate,
				references: [{ hash: "SHA-256", uri: "", transforms: ["enveloped", "c14n"] }],
			});
			last = signed.toString();
		},
		last(): Uint8Array {
			if (!last.includes("SigningCertificate")) throw new Error("xadesjs made no XAdES-BES signature");
			return new TextEncoder().encode(last);
		},
	};
}

/** Samples by an implementation that is not even in this language; without it they go unverified by it, with a sentence. */
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
