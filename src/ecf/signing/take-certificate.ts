/**
 * How a company gets its certificate: self-made or from a container. The key leaves this file sealed.
 *
 * Reading certificates and containers takes some 15 MiB of memory, so a signing thread loads this file with its first such job: most threads only
 * sign.
 */
import "reflect-metadata";
import { ExtendedKeyUsageExtension, X509Certificate } from "@peculiar/x509";
import { type Fault, joinMessages, type Message, msg, Problem } from "../../platform/problem";
import type { Envelope } from "../../platform/secrets";
import { describeCertificate } from "../certificate";
import type { Warning } from "../mapping";
import {
	answerAtOnce,
	describeFault,
	judgeTrust,
	readSignerCertificate,
	readTrustedAuthorities,
} from "../verification";
import { type IdentityBytes, type RsaEngine, toSigningIdentity } from "./engine";
import { createEphemeralIdentity } from "./ephemeral-identity";
import { signingKeyContext } from "./key-custody";
import { openPkcs12 } from "./pkcs12";
import type { CertificateRules, EphemeralJob, Pkcs12Job, SealedCertificate } from "./sign-job";
import { verifyOwnSignature } from "./verify-own";
import { signXml } from "./xades";

export async function createEphemeral(envelope: Envelope, job: EphemeralJob): Promise<SealedCertificate> {
	const made = await createEphemeralIdentity({
		holderName: job.holderName,
		holderDocument: job.holderDocument,
		notBefore: new Date(job.notBefore),
		notAfter: new Date(job.notAfter),
	});
	return sealKey(envelope, job.tenantId, made.certificateDer, made.pkcs8Der);
}

/** Throws: certificate-invalid, certificate-untrusted. */
export function importPkcs12(
	envelope: Envelope,
	engine: RsaEngine,
	job: Pkcs12Job,
	rules: CertificateRules,
): SealedCertificate {
	const validAt = new Date(job.validAt);
	const taken = openPkcs12(job.bytes, job.password, validAt, new Date(job.now));
	try {
		const doubts = findDoubts(taken.certificateDer, validAt, rules.trustedCaFile);
		if (rules.isStrict && doubts.length > 0) throw refuse(doubts);
		proveIdentity(taken, engine);
		const sealed = sealKey(envelope, job.tenantId, taken.certificateDer, taken.pkcs8Der);
		return { ...sealed, warnings: [...taken.warnings, ...doubts.map(toWarning)] };
	} finally {
		taken.pkcs8Der.fill(0);
	}
}

const SERVER_AUTHENTICATION = "1.3.6.1.5.5.7.3.1";

/** What the authority would object to in a certificate that can sign. */
export function findDoubts(der: Uint8Array, validAt: Date, trustedCaFile: string | undefined): Fault[] {
	const doubts: Fault[] = [];
	const doubt = (code: string, detail: Message) => doubts.push({ pointer: "/pkcs12", code, detail });
	const certificate = readSignerCertificate(der);
	if (typeof certificate === "string") throw new Error(`a certificate that was opened is unreadable: ${certificate}`);
	if (certificate.facts.holderSerial === undefined) {
		doubt(
			"no-holder-number",
			msg`The subject lacks SERIALNUMBER, which names the person who signs, such as IDCDO-00112345678.`,
		);
	}
	const usages = new X509Certificate(new Uint8Array(der)).getExtension(ExtendedKeyUsageExtension)?.usages ?? [];
	if (usages.some((usage) => usage === SERVER_AUTHENTICATION)) {
		doubt(
			"server-certificate",
			msg`The certificate is for TLS servers (serverAuth), not for a person who signs documents.`,
		);
	}
	if (trustedCaFile !== undefined) {
		const authorities = readTrustedAuthorities(trustedCaFile);
		const [fault] = answerAtOnce(judgeTrust(certificate, validAt, { authorities })).faults;
		if (fault) doubt(UNTRUSTED, msg`The certificate does not lead to a trusted authority: ${describeFault(fault)}.`);
	}
	return doubts;
}

const UNTRUSTED = "certificate-untrusted";

function toWarning({ pointer, code, detail }: Fault): Warning {
	return { pointer, code, detail: String(detail) };
}

function refuse(doubts: readonly Fault[]): Problem {
	const slug = doubts.some(({ code }) => code === UNTRUSTED) ? UNTRUSTED : "certificate-invalid";
	return new Problem(slug, { detail: joinMessages(doubts.map(({ detail }) => detail)), faults: doubts });
}

/** Seals a new key for its tenant and certificate, and wipes the clear bytes. */
export function sealKey(
	envelope: Envelope,
	tenantId: string,
	certificateDer: Uint8Array,
	pkcs8Der: Uint8Array,
): SealedCertificate {
	try {
		const facts = describeCertificate(certificateDer);
		const sealedKey = envelope.seal(pkcs8Der, signingKeyContext(tenantId, facts.thumbprint));
		return { identity: { tenantId, thumbprint: facts.thumbprint, certificateDer, sealedKey }, facts, warnings: [] };
	} finally {
		pkcs8Der.fill(0);
	}
}

const PROBE = "<Probe></Probe>";

/** Signs and verifies a probe with a new identity. Throws: certificate-invalid if that fails. */
export function proveIdentity(bytes: IdentityBytes, engine: RsaEngine): void {
	try {
		const identity = toSigningIdentity(bytes, engine);
		try {
			verifyOwnSignature(signXml(PROBE, identity, { profile: "xades-bes", signedAt: new Date() }), identity);
		} finally {
			identity.rsa.free();
		}
	} catch (cause) {
		const detail = msg`A probe signed with the key does not verify with the certificate.`;
		const faults = [{ pointer: "/pkcs12", code: "probe-failed", detail }];
		throw new Problem("certificate-invalid", { detail, faults, cause });
	}
}
