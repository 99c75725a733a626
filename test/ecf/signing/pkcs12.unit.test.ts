import { afterAll, describe, expect, spyOn, test } from "bun:test";
import { createCipheriv, createPrivateKey, pbkdf2Sync, randomBytes, X509Certificate } from "node:crypto";
import { writeFileSync } from "node:fs";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import forge from "node-forge";
import { openEngine } from "../../../src/ecf/signing/engine";
import { createEphemeralIdentity } from "../../../src/ecf/signing/ephemeral-identity";
import { openPkcs12 } from "../../../src/ecf/signing/pkcs12";
import type { CertificateRules } from "../../../src/ecf/signing/sign-job";
import { importPkcs12 } from "../../../src/ecf/signing/take-certificate";
import { Problem } from "../../../src/platform/problem";
import { createEnvelope } from "../../../src/platform/secrets";
import { findJudge } from "../../support/judges";

const openssl = findJudge("openssl");
const folder = await mkdtemp(join(tmpdir(), "sello-pkcs12-"));
afterAll(() => rm(folder, { recursive: true }));

const now = new Date("2026-11-20T14:20:00Z");
const PASSWORD = "contraseña 🔑";

const made = await createEphemeralIdentity({
	holderName: "JUANA PÉREZ",
	holderDocument: "00100000009",
	notBefore: new Date("2026-01-01T00:00:00Z"),
	notAfter: new Date("2028-01-01T00:00:00Z"),
});
const pem = {
	key: createPrivateKey({ key: Buffer.from(made.pkcs8Der), format: "der", type: "pkcs8" })
		.export({ type: "pkcs8", format: "pem" })
		.toString(),
	certificate: new X509Certificate(made.certificateDer).toString(),
};

/** Runs openssl, which the test is skipped without. */
async function ask(...args: string[]): Promise<void> {
	if (!openssl) throw new Error("openssl is not installed");
	const { exitCode, output } = await openssl(...args);
	if (exitCode !== 0) throw new Error(`openssl ${args[0]} failed: ${output}`);
}

/** Makes a container by openssl. */
async function makeByOpenssl(name: string, args: readonly string[], content = pem): Promise<Uint8Array> {
	const files = {
		key: join(folder, `${name}.key`),
		certificate: join(folder, `${name}.crt`),
		out: join(folder, `${name}.p12`),
	};
	await Bun.write(files.key, content.key);
	await Bun.write(files.certificate, content.certificate);
	const password = join(folder, `${name}.password`);
	await Bun.write(password, PASSWORD);
	await ask(
		...["pkcs12", "-export", "-inkey", files.key, "-in", files.certificate, "-out", files.out],
		...["-passout", `file:${password}`, ...args],
	);
	return new Uint8Array(await readFile(files.out));
}

/** Makes a container by node-forge, whose password must be plain ASCII for it. */
function makeByForge(
	options: { password?: string; algorithm?: "3des" | "aes256"; count?: number; key?: string | null } = {},
) {
	const key = options.key === null ? null : forge.pki.privateKeyFromPem(options.key ?? pem.key);
	const certificate = forge.pki.certificateFromPem(pem.certificate);
	const asn1 = forge.pkcs12.toPkcs12Asn1(key, [certificate], options.password ?? "secret", {
		algorithm: options.algorithm ?? "3des",
		...(options.count ? { count: options.count } : {}),
	});
	return new Uint8Array(Buffer.from(forge.asn1.toDer(asn1).getBytes(), "latin1"));
}

const { asn1, pki } = forge;
type Node = forge.asn1.Asn1;
/** Tag number of the explicit wrappings; the library's types know only universal numbers. */
const TAG_0 = asn1.Type.NONE;
const universal = (type: forge.asn1.Type, value: string | Node[]) =>
	asn1.create(asn1.Class.UNIVERSAL, type, typeof value !== "string", value);
const sequence = (...nodes: Node[]) => universal(asn1.Type.SEQUENCE, nodes);
const octets = (bytes: string) => universal(asn1.Type.OCTETSTRING, bytes);
const oid = (name: string) => universal(asn1.Type.OID, asn1.oidToDer(pki.oids[name] ?? name).getBytes());
const integer = (value: number) => universal(asn1.Type.INTEGER, asn1.integerToDer(value).getBytes());
const context = (...nodes: Node[]) => asn1.create(asn1.Class.CONTEXT_SPECIFIC, TAG_0, true, nodes);
const toDer = (node: Node) => asn1.toDer(node).getBytes();

function pbes2(rounds: number, iv: Buffer): Node {
	const prf = sequence(oid("hmacWithSHA256"), universal(asn1.Type.NULL, ""));
	const kdf = sequence(oid("pkcs5PBKDF2"), sequence(octets("salt5678"), integer(rounds), prf));
	return sequence(oid("pkcs5PBES2"), sequence(kdf, sequence(oid("aes256-CBC"), octets(iv.toString("latin1")))));
}

function wrap(...parts: Node[]): Uint8Array {
	const safe = octets(toDer(sequence(...parts)));
	return Buffer.from(toDer(sequence(integer(3), sequence(oid("data"), context(safe)))), "latin1");
}

/** A key that asks for two thousand million rounds, inside a part that asks for one. */
function nestGreedyKey(): Uint8Array {
	const iv = Buffer.alloc(16, 7);
	const greedy = sequence(pbes2(2_000_000_000, iv), octets("x".repeat(32)));
	const bags = toDer(sequence(sequence(oid("pkcs8ShroudedKeyBag"), context(greedy))));
	const cipher = createCipheriv("aes-256-cbc", pbkdf2Sync("secret", "salt5678", 1, 32, "sha256"), iv);
	const hidden = Buffer.concat([cipher.update(bags, "latin1"), cipher.final()]).toString("latin1");
	const content = asn1.create(asn1.Class.CONTEXT_SPECIFIC, TAG_0, false, hidden);
	const encrypted = sequence(integer(0), sequence(oid("data"), pbes2(1, iv), content));
	return wrap(sequence(oid("encryptedData"), context(encrypted)));
}

/** The parts of a container, several times, without its MAC. */
function repeatParts(container: Uint8Array, times: number): Uint8Array {
	const pfx = asn1.fromDer(Buffer.from(container).toString("latin1"));
	const path = [1, 1, 0];
	const safe = path.reduce((node, index) => (node.value as Node[])[index] as Node, pfx);
	const parts = asn1.fromDer(safe.value as string).value as Node[];
	return wrap(...Array.from({ length: times }, () => parts).flat());
}

/** A container whose integrity check states so many bytes, and asks for as many rounds as are allowed. */
function withLongDigest(bytes: number): Uint8Array {
	const pfx = asn1.fromDer(Buffer.from(makeByForge()).toString("latin1"));
	const [, , mac] = pfx.value as [Node, Node, Node];
	const [digestInfo, salt] = mac.value as [Node, Node];
	const [algorithm] = digestInfo.value as [Node];
	const reported = sequence(sequence(algorithm, octets("x".repeat(bytes))), salt, integer(100_000));
	return Buffer.from(toDer(sequence(...(pfx.value as Node[]).slice(0, 2), reported)), "latin1");
}

function refusal(bytes: Uint8Array, password: string, at = now): string {
	try {
		openPkcs12(bytes, password, at);
	} catch (error) {
		if (error instanceof Problem && error.slug === "certificate-invalid") return String(error.detail);
		throw error;
	}
	return "accepted";
}

function expectOurs(opened: { certificateDer: Uint8Array; pkcs8Der: Uint8Array }): void {
	expect(Buffer.from(opened.certificateDer)).toEqual(Buffer.from(made.certificateDer));
	const key = createPrivateKey({ key: Buffer.from(opened.pkcs8Der), format: "der", type: "pkcs8" });
	expect(new X509Certificate(opened.certificateDer).checkPrivateKey(key)).toBe(true);
}

const TOO_MANY_ROUNDS =
	"The container asks for more than 100000 rounds of key derivation. Export it again with fewer: openssl pkcs12 -in old.p12 -out all.pem, then " +
	"openssl pkcs12 -export -in all.pem -iter 10000 -out new.p12, and delete all.pem.";

describe("a container", () => {
	const KINDS: Readonly<Record<string, readonly string[]>> = {
		"of today's openssl (AES-256, SHA-256)": [],
		"with 40-bit RC2 and triple DES": ["-legacy"],
		"with 128-bit RC2": ["-legacy", "-certpbe", "PBE-SHA1-RC2-128", "-keypbe", "PBE-SHA1-RC2-128"],
		"with triple DES throughout": ["-certpbe", "PBE-SHA1-3DES", "-keypbe", "PBE-SHA1-3DES", "-macalg", "sha1"],
		"with AES-128 and a MAC by SHA-512": ["-certpbe", "AES-128-CBC", "-keypbe", "AES-128-CBC", "-macalg", "sha512"],
		"with a MAC by SHA-384": ["-macalg", "sha384"],
		"without encryption of the certificate": ["-certpbe", "NONE"],
		"without a MAC": ["-nomac"],
		"with 100,000 rounds": ["-iter", "100000"],
	};
	for (const [kind, args] of Object.entries(KINDS)) {
		test.skipIf(!openssl)(
			`${kind} gives up its key and certificate, with an accented password`,
			async () => {
				const bytes = await makeByOpenssl(kind.replace(/\W+/g, "-"), args);
				expectOurs(openPkcs12(bytes, PASSWORD, now));
			},
			120_000,
		);
	}

	for (const algorithm of ["3des", "aes256"] as const) {
		test(`of node-forge with ${algorithm} gives up its key and certificate`, () => {
			expectOurs(openPkcs12(makeByForge({ algorithm }), "secret", now));
		});
	}

	test.skipIf(!openssl)("with a chain beside the signing certificate gives the one of the key", async () => {
		const other = await createEphemeralIdentity({
			holderName: "OTRA",
			holderDocument: "00100000009",
			notBefore: new Date("2020-01-01T00:00:00Z"),
			notAfter: new Date("2021-01-01T00:00:00Z"),
		});
		const chain = new X509Certificate(other.certificateDer).toString();
		const bytes = await makeByOpenssl("chain", [], { ...pem, certificate: pem.certificate + chain });
		expectOurs(openPkcs12(bytes, PASSWORD, now));
	});
});

/** A further certificate of the same key by openssl, as a renewal makes one. */
async function certifyAgain(name: string, key: string, days: number): Promise<string> {
	const [keyFile, out] = [join(folder, `${name}.key.pem`), join(folder, `${name}.crt.pem`)];
	await Bun.write(keyFile, key);
	await ask(
		"req",
		"-x509",
		"-key",
		keyFile,
		"-subj",
		`/CN=${name}`,
		"-days",
		String(days),
		"-out",
		out,
		"-addext",
		"basicConstraints=critical,CA:FALSE",
	);
	return Bun.file(out).text();
}

/** In the middle of what openssl certifies from today on. */
const tomorrow = new Date(Date.now() + 86_400_000);

describe("a container with several certificates of its key", () => {
	test.skipIf(!openssl)("gives up the one that is valid when an old one lies beside its renewal", async () => {
		const certificate = await certifyAgain("renewed", pem.key, 30);
		const bytes = await makeByOpenssl("renewal", [], { ...pem, certificate: pem.certificate + certificate });
		// The other one begins today at the earliest.
		const opened = openPkcs12(bytes, PASSWORD, new Date("2026-02-01T00:00:00Z"));
		expect(Buffer.from(opened.certificateDer)).toEqual(Buffer.from(made.certificateDer));
	});

	test.skipIf(!openssl)("gives up the one that lies in it twice, alone and as the first of its chain", async () => {
		const bytes = await makeByOpenssl("twice", [], { ...pem, certificate: pem.certificate + pem.certificate });
		expectOurs(openPkcs12(bytes, PASSWORD, now));
	});

	test.skipIf(!openssl)("is refused when two of them could sign", async () => {
		const [first, second] = [await certifyAgain("first", pem.key, 30), await certifyAgain("second", pem.key, 30)];
		const bytes = await makeByOpenssl("two", [], { ...pem, certificate: first + second });
		expectFault(bytes, PASSWORD, "several-certificates", "/pkcs12", tomorrow);
	});
});

describe("an obsolete encryption", () => {
	const KINDS: Readonly<Record<string, readonly [args: readonly string[], names: readonly string[]]>> = {
		"triple DES": [["-certpbe", "PBE-SHA1-3DES", "-keypbe", "PBE-SHA1-3DES", "-macalg", "sha1"], ["triple DES"]],
		"40-bit RC2 and triple DES": [["-legacy"], ["40-bit RC2", "triple DES"]],
		"128-bit RC2": [["-legacy", "-certpbe", "PBE-SHA1-RC2-128", "-keypbe", "PBE-SHA1-RC2-128"], ["128-bit RC2"]],
	};
	for (const [kind, [args, names]] of Object.entries(KINDS)) {
		test.skipIf(!openssl)(`by ${kind} gets a warning with its name and the remedy`, async () => {
			const bytes = await makeByOpenssl(`obsolete-${kind.replace(/\W+/g, "-")}`, args);
			const [warning, ...others] = openPkcs12(bytes, PASSWORD, now).warnings;
			expect(others).toEqual([]);
			expect(warning).toMatchObject({ code: "obsolete-encryption", pointer: "/pkcs12" });
			for (const name of names) expect(warning?.detail).toContain(name);
			expect(warning?.detail).toContain("openssl pkcs12 -export");
		});
	}

	test.skipIf(!openssl)("that is not even read is refused with what to do", async () => {
		const bytes = await makeByOpenssl("single-des", ["-legacy", "-certpbe", "PBE-MD5-DES", "-keypbe", "PBE-MD5-DES"]);
		expectFault(bytes, PASSWORD, "not-supported", "/pkcs12");
		expect(refusal(bytes, PASSWORD)).toContain("openssl pkcs12 -export");
	});

	test.skipIf(!openssl)("is not given for a modern container", async () => {
		const bytes = await makeByOpenssl("today", []);
		expect(openPkcs12(bytes, PASSWORD, now).warnings).toEqual([]);
	});
});

describe("each refusal has one fault with a code", () => {
	test("for the password, the key, the certificate and its time", () => {
		const good = makeByForge();
		expectFault(good, "Secret", "wrong-password", "/password");
		expectFault(makeByForge({ key: null }), "secret", "no-private-key", "/pkcs12");
		expectFault(new Uint8Array(64 * 1024 + 1), "secret", "too-large", "/pkcs12");
		expectFault(new Uint8Array([1, 2, 3]), "secret", "unreadable", "/pkcs12");
		// A certificate without its key, sent in the container's place.
		expectFault(made.certificateDer, "secret", "unreadable", "/pkcs12");
		expectFault(good, "secret", "expired", "/pkcs12", new Date("2028-01-01T00:00:01Z"));
		expectFault(good, "secret", "not-yet-valid", "/pkcs12", new Date("2025-12-31T23:59:59Z"));
		expectFault(nestGreedyKey(), "secret", "too-expensive", "/pkcs12");
		const weak = forge.pki.rsa.generateKeyPair({ bits: 1024, workers: 0 });
		expectFault(makeByForge({ key: forge.pki.privateKeyToPem(weak.privateKey) }), "secret", "weak-key", "/pkcs12");
	}, 120_000);
});

function expectFault(bytes: Uint8Array, password: string, code: string, pointer: string, at = now): void {
	try {
		openPkcs12(bytes, password, at);
	} catch (error) {
		if (!(error instanceof Problem)) throw error;
		expect(error.faults).toEqual([{ pointer, code, detail: error.detail }]);
		return;
	}
	throw new Error(`the container was accepted and should have been refused as ${code}`);
}

describe("a container is refused with a sentence", () => {
	test("when the password is wrong", () => {
		expect(refusal(makeByForge(), "Secret")).toBe("The password is wrong, or the container is damaged.");
		expect(refusal(makeByForge(), "")).toBe("The password is wrong, or the container is damaged.");
	});

	test.skipIf(!openssl)("when the password is wrong and there is no MAC", async () => {
		for (const args of [["-nomac"], ["-nomac", "-legacy"]]) {
			const bytes = await makeByOpenssl(`wrong${args.join("")}`, args);
			expect(refusal(bytes, "another")).toBe("The password is wrong, or the container is damaged.");
		}
	});

	test.skipIf(!openssl)("when what a wrong password leaves ends like a padding by chance", async () => {
		const bytes = await makeByOpenssl("chance", ["-nomac"]);
		const sentences = Array.from({ length: 2000 }, (_, number) => refusal(bytes, `another ${number}`));
		expect(new Set(sentences)).toEqual(new Set(["The password is wrong, or the container is damaged."]));
	});

	test("when it holds no key", () => {
		expect(refusal(makeByForge({ key: null }), "secret")).toBe("The container holds no private key.");
	});

	test("when its key does not belong to its certificate", async () => {
		const other = forge.pki.rsa.generateKeyPair({ bits: 2048, workers: 0 });
		const bytes = makeByForge({ key: forge.pki.privateKeyToPem(other.privateKey) });
		expect(refusal(bytes, "secret")).toBe("The private key does not belong to the certificate.");
	}, 120_000);

	test("when its RSA key has fewer than 2048 bits", () => {
		const weak = forge.pki.rsa.generateKeyPair({ bits: 1024, workers: 0 });
		const bytes = makeByForge({ key: forge.pki.privateKeyToPem(weak.privateKey) });
		expect(refusal(bytes, "secret")).toBe("The RSA key has 1024 bits; at least 2048 are required.");
	}, 120_000);

	test.skipIf(!openssl)("when its key is not an RSA key", async () => {
		const [key, certificate] = [join(folder, "ec.pem"), join(folder, "ec.crt")];
		await ask("ecparam", "-name", "prime256v1", "-genkey", "-noout", "-out", key);
		await ask("req", "-x509", "-key", key, "-subj", "/CN=EC", "-days", "3650", "-out", certificate);
		const content = { key: await Bun.file(key).text(), certificate: await Bun.file(certificate).text() };
		const bytes = await makeByOpenssl("elliptic", [], content);
		expect(refusal(bytes, PASSWORD)).toBe("The private key is not an RSA key.");
	});

	test("when it is larger than 64 KiB", () => {
		expect(refusal(new Uint8Array(64 * 1024 + 1), "secret")).toBe("The container is larger than 64 KiB.");
	});

	// A container of a few kilobytes may ask for any number of rounds: it has to be refused before the first of them.
	test.skipIf(!openssl)(
		"when it asks for more than 100,000 rounds, wherever it asks",
		async () => {
			const sentence = TOO_MANY_ROUNDS;
			for (const args of [
				["-iter", "100001"],
				["-iter", "100001", "-nomac"],
				["-iter", "100001", "-legacy"],
			]) {
				const bytes = await makeByOpenssl(`rounds${args.join("")}`, args);
				expect(refusal(bytes, PASSWORD)).toBe(sentence);
			}
		},
		120_000,
	);

	test("when it asks for them from inside an encrypted part", () => {
		expect(refusal(nestGreedyKey(), "secret")).toBe(TOO_MANY_ROUNDS);
	});

	test("if the digest of its integrity check is too long, before any round runs", () => {
		// Each length of a hash takes all rounds once more: 60,000 bytes of it are half an hour.
		const bytes = withLongDigest(21);
		const hash = spyOn(Bun.SHA1, "hash");
		expect(refusal(bytes, "secret")).toBe("The password is wrong, or the container is damaged.");
		expect(hash).not.toHaveBeenCalled();
		hash.mockRestore();
	});

	test("when many small demands add up", () => {
		expect(refusal(repeatParts(makeByForge({ count: 40_000 }), 4), "secret")).toBe(TOO_MANY_ROUNDS);
	}, 120_000);

	test("when the certificate has expired or is not valid yet", () => {
		const bytes = makeByForge();
		const at = (iso: string) => refusal(bytes, "secret", new Date(iso));
		expect(at("2028-01-01T00:00:00Z")).toBe("accepted");
		expect(at("2028-01-01T00:00:01Z")).toBe("The certificate expired on 2028-01-01T00:00:00.000Z.");
		expect(at("2026-01-01T00:00:00Z")).toBe("accepted");
		expect(at("2025-12-31T23:59:59Z")).toBe("The certificate is not valid before 2026-01-01T00:00:00.000Z.");
	});

	test.skipIf(!openssl)("when the certificate's key usage allows no signatures", async () => {
		const [key, certificate] = [join(folder, "usage.pem"), join(folder, "usage.crt")];
		await Bun.write(key, pem.key);
		await ask(
			...["req", "-x509", "-key", key, "-subj", "/CN=X", "-days", "3650", "-out", certificate],
			...["-addext", "keyUsage=critical,keyEncipherment"],
		);
		const bytes = await makeByOpenssl("usage", [], { key: pem.key, certificate: await Bun.file(certificate).text() });
		const later = new Date(Date.now() + 60_000);
		expect(refusal(bytes, PASSWORD, later)).toBe("The certificate's key usage does not allow signatures.");
	});

	test("when it is no container at all", () => {
		const cases = [new Uint8Array(), new Uint8Array([0x30, 0x03, 0x02, 0x01, 0x03]), new TextEncoder().encode(pem.key)];
		for (const bytes of cases) expect(refusal(bytes, "secret")).toBe("The file is not a readable PKCS#12 container.");
	});

	test("or still opens, with any byte changed", () => {
		const bytes = makeByForge({ count: 1 });
		fc.assert(
			fc.property(fc.integer({ min: 0, max: bytes.length - 1 }), fc.integer({ min: 1, max: 255 }), (at, by) => {
				const other = Uint8Array.from(bytes);
				other[at] = (other[at] ?? 0) ^ by;
				expect(refusal(other, "secret")).toBeString();
			}),
			{ numRuns: 1_000 },
		);
	}, 120_000);
});

describe("what the authority would object to", () => {
	const authorityKeys = forge.pki.rsa.generateKeyPair(2048);
	const holderKeys = forge.pki.rsa.generateKeyPair(2048);
	const HOLDER = [
		{ name: "commonName", value: "JUANA PEREZ" },
		{ type: "2.5.4.5", value: "IDCDO-00100000009", valueTagClass: asn1.Type.PRINTABLESTRING },
	] as unknown as forge.pki.CertificateField[];
	const AUTHORITY = [{ name: "commonName", value: "ENTIDAD DE PRUEBA" }];

	function issue(subject: forge.pki.CertificateField[], extensions: object[], keys = holderKeys) {
		const certificate = pki.createCertificate();
		certificate.publicKey = keys.publicKey;
		certificate.serialNumber = "0a";
		certificate.validity.notBefore = new Date("2026-01-01T00:00:00Z");
		certificate.validity.notAfter = new Date("2028-01-01T00:00:00Z");
		certificate.setSubject(subject);
		certificate.setIssuer(AUTHORITY);
		certificate.setExtensions(extensions);
		certificate.sign(authorityKeys.privateKey, forge.md.sha256.create());
		return certificate;
	}
	const usage = { name: "keyUsage", digitalSignature: true, nonRepudiation: true };
	const bundle = join(folder, "authorities.pem");
	const authority = issue(AUTHORITY, [{ name: "basicConstraints", cA: true }], authorityKeys);
	writeFileSync(bundle, pki.certificateToPem(authority));

	/** Codes of the warnings, or slug and codes of the refusal. */
	function upload(certificate: forge.pki.Certificate, rules: Partial<CertificateRules>): string[] {
		const container = forge.pkcs12.toPkcs12Asn1(holderKeys.privateKey, [certificate], "secret", {
			algorithm: "aes256",
		});
		const bytes = Buffer.from(asn1.toDer(container).getBytes(), "latin1");
		const at = { now: now.toISOString(), validAt: now.toISOString() };
		const job = { tenantId: "0192f0a1-b2c3-7d4e-8f00-112233445566", bytes, password: "secret", ...at };
		try {
			const all = { isStrict: true, trustedCaFile: bundle, ...rules };
			const { warnings } = importPkcs12(createEnvelope(randomBytes(32)), openEngine("auto").engine, job, all);
			return warnings.map(({ code }) => code);
		} catch (error) {
			if (!(error instanceof Problem)) throw error;
			return [error.slug, ...error.faults.map(({ code }) => code)];
		}
	}

	test("a person's certificate of a trusted authority has nothing", () => {
		expect(upload(issue(HOLDER, [usage]), {})).toEqual([]);
	});

	test("another issuer, no number of a person, a TLS server: refused, or warned of", () => {
		const other = issue(HOLDER, [usage]);
		other.setIssuer([{ name: "commonName", value: "OTRA ENTIDAD" }]);
		other.sign(authorityKeys.privateKey, forge.md.sha256.create());
		const forged = issue(HOLDER, [usage]);
		forged.sign(holderKeys.privateKey, forge.md.sha256.create());
		const server = issue(HOLDER, [usage, { name: "extKeyUsage", serverAuth: true, clientAuth: true }]);
		const nameless = issue([{ name: "commonName", value: "www.example.do" }], [usage]);
		for (const [certificate, slug, code] of [
			[other, "certificate-untrusted", "certificate-untrusted"],
			[forged, "certificate-untrusted", "certificate-untrusted"],
			[server, "certificate-invalid", "server-certificate"],
			[nameless, "certificate-invalid", "no-holder-number"],
		] as const) {
			expect(upload(certificate, {})).toEqual([slug, code]);
			expect(upload(certificate, { isStrict: false })).toEqual([code]);
		}
		expect(upload(other, { trustedCaFile: undefined })).toEqual([]);
	});
});
