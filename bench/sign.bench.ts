/**
 * How close does signing come to what the key operation alone costs?
 *
 * Ours is the whole way of one document: plan, write, sign with XAdES-BES, read back and check. xadesjs gets the same document
 * as text and parses, signs and serialises it; its output is checked by nobody. All on one core, in one thread.
 *
 * Proof that what was counted are signatures: signing is deterministic, so a set of documents is signed once and verified by
 * xadesjs with the pinned key (and some by xmlsec1), and every signature made while measuring must have the digest of the
 * verified one.
 */
import { randomBytes, sign, X509Certificate } from "node:crypto";
import { join } from "node:path";
import { Parse, SignedXml } from "xadesjs";
import { createEphemeralIdentity, type EcfInput, planEcf, signEcf, toSigningIdentity, writeEcf } from "../src/signing";
import { verifyByReference } from "../test/signing/reference";
import { findJudge } from "../test/support/judges";
import { type BenchOptions, type Figure, toCostFigure, toFigure } from "./bench";
import { makeFolder } from "./child";
import { buildInvoice } from "./invoice";
import { measureInTurn } from "./measure";

export const question = "How many e-CF of ten lines are signed and checked per second on one core?";
export const peer = "the runtime's bare RSA-2048, and xadesjs signing the same document";

const ISSUER = { rnc: "990000001", name: "FERRETERIA EL PROGRESO SRL" };
const SIGNED_AT = "2026-11-20T14:20:00.121Z";
/** About what a SignedInfo has. */
const INPUT_BYTES = 900;
const OURS = "signEcf with its own check";
const RSA = { name: "RSASSA-PKCS1-v1_5", hash: "SHA-256" };

export async function run({ smoke }: BenchOptions): Promise<Figure[]> {
	await using stack = new AsyncDisposableStack();
	const made = await createEphemeralIdentity({
		holderName: "FIRMANTE DE PRUEBA",
		holderDocument: "99900000001",
		notBefore: new Date("2026-01-01T00:00:00Z"),
		notAfter: new Date("2030-01-01T00:00:00Z"),
	});
	const identity = toSigningIdentity(made);
	const inputs = Array.from({ length: smoke ? 20 : 1_000 }, (_, i) => toInput(i + 1));

	const ours = signAgain(inputs, (input) => signEcf(input, identity, "xades-bes"));
	const raw = randomBytes(INPUT_BYTES);
	const theirs = await openXadesjs(made.certificateDer, made.pkcs8Der, inputs);
	const rounds = smoke ? { rounds: 1, seconds: 0.1, warmUpSeconds: 0.1 } : { rounds: 9, seconds: 1, warmUpSeconds: 2 };
	const measured = await measureInTurn(
		{ raw: () => sign("sha256", raw, identity.privateKey), ours: ours.next, theirs: theirs.next },
		rounds,
	);

	await ours.verify(made.certificateDer);
	await verifyWithXmlsec1(stack, ours.first(20), made.certificateDer);
	await theirs.verify();
	const { raw: bare, ours: own, theirs: other } = measured;
	return [
		toFigure("bare RSA-2048", "signatures/s", bare.perSecond),
		toFigure("xadesjs, unchecked", "signatures/s", other.perSecond),
		toFigure(OURS, "signatures/s", own.perSecond, {
			against: { peer: "bare RSA-2048", rounds: bare.perSecond },
			target: "≥ 0.93",
		}),
		toFigure(OURS, "signatures/s", own.perSecond, {
			against: { peer: "xadesjs", rounds: other.perSecond },
			target: "≥ 7",
		}),
		...toCostFigure(`${OURS}, processor time`, own.cpuMicros, { peer: "bare RSA-2048", rounds: bare.cpuMicros }),
		...toCostFigure(`${OURS}, processor time`, own.cpuMicros, { peer: "xadesjs", rounds: other.cpuMicros }),
	];
}

function toInput(number: number): EcfInput {
	return {
		invoice: buildInvoice(ISSUER, `E31${String(number).padStart(10, "0")}`),
		issuer: ISSUER,
		sequenceExpiresOn: "2028-12-31",
		signedAt: SIGNED_AT,
	};
}

type Signed = { readonly ecf: Uint8Array; readonly ecfSha256: string };

/** Signs the inputs round and round, keeping the first signature of each and the digest of every one. */
function signAgain(inputs: readonly EcfInput[], signOne: (input: EcfInput) => Signed) {
	const firsts = inputs.map(signOne);
	const digests: string[] = [];
	return {
		next: (): void => {
			const input = inputs[digests.length % inputs.length];
			if (input) digests.push(signOne(input).ecfSha256);
		},
		first: (count: number): readonly Uint8Array[] => firsts.slice(0, count).map(({ ecf }) => ecf),
		async verify(certificateDer: Uint8Array): Promise<void> {
			for (const { ecf } of firsts) {
				if (!(await verifyByReference(ecf, certificateDer))) throw new Error("xadesjs refuses a signature of ours");
			}
			const differs = digests.findIndex((digest, i) => digest !== firsts[i % firsts.length]?.ecfSha256);
			if (differs >= 0) throw new Error(`signature ${differs} of the measurement is not the one that was verified`);
		},
	};
}

/** The same documents through xadesjs. */
async function openXadesjs(certificateDer: Uint8Array, pkcs8Der: Uint8Array, inputs: readonly EcfInput[]) {
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
		async verify(): Promise<void> {
			if (!last.includes("SigningCertificate")) throw new Error("xadesjs made no XAdES-BES signature");
			if (!(await verifyByReference(new TextEncoder().encode(last), certificateDer))) {
				throw new Error("xadesjs made a signature that does not verify");
			}
		},
	};
}

/** A sample by an implementation that is not even in this language; without it the sample goes unverified, with a sentence. */
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
	if (exitCode !== 0) throw new Error(`xmlsec1 refuses a signature of ours: ${output}`);
}
