/**
 * How a company gets its certificate: self-made or from a container. The key leaves this file sealed.
 *
 * Reading certificates and containers takes some 15 MiB of memory, so a signing thread loads this file with its first such job: most threads only
 * sign.
 */
import { Problem } from "../../platform/problem";
import type { Envelope } from "../../platform/secrets";
import { describeCertificate } from "../certificate";
import { type IdentityBytes, type RsaEngine, toSigningIdentity } from "./engine";
import { createEphemeralIdentity } from "./ephemeral-identity";
import { signingKeyContext } from "./key-custody";
import { openPkcs12 } from "./pkcs12";
import type { EphemeralJob, Pkcs12Job, SealedCertificate } from "./sign-job";
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

/** Throws: certificate-invalid. */
export function importPkcs12(envelope: Envelope, engine: RsaEngine, job: Pkcs12Job): SealedCertificate {
	const taken = openPkcs12(job.bytes, job.password, new Date(job.validAt), new Date(job.now));
	try {
		proveIdentity(taken, engine);
		const sealed = sealKey(envelope, job.tenantId, taken.certificateDer, taken.pkcs8Der);
		return { ...sealed, warnings: taken.warnings };
	} finally {
		taken.pkcs8Der.fill(0);
	}
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
		const detail = "A probe signed with the key does not verify with the certificate.";
		const faults = [{ pointer: "/pkcs12", code: "probe-failed", detail }];
		throw new Problem("certificate-invalid", { detail, faults, cause });
	}
}
