/**
 * How a certificate comes to a company: made on the spot, or out of a container. Its key leaves here sealed.
 *
 * What reads certificates and containers takes some 15 MiB, so a signing thread loads this with the first job of the kind: most
 * threads only ever sign.
 */

import { Problem } from "../../platform/problem";
import type { Envelope } from "../../platform/secrets";
import { describeCertificate } from "../certificate";
import { type IdentityBytes, type RsaEngine, toSigningIdentity } from "./engine";
import { createEphemeralIdentity } from "./ephemeral-identity";
import { placeOfSigningKey } from "./key-custody";
import { openPkcs12 } from "./pkcs12";
import type { EphemeralJob, Pkcs12Job, SealedCertificate } from "./sign-job";
import { verifyOwnSignature } from "./verify-own";
import { signXml } from "./xades";

export async function makeEphemeral(envelope: Envelope, job: EphemeralJob): Promise<SealedCertificate> {
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

/** Seals a fresh key for its tenant and certificate, and wipes the clear bytes. */
export function sealKey(
	envelope: Envelope,
	tenantId: string,
	certificateDer: Uint8Array,
	pkcs8Der: Uint8Array,
): SealedCertificate {
	try {
		const facts = describeCertificate(certificateDer);
		const sealedKey = envelope.seal(pkcs8Der, placeOfSigningKey(tenantId, facts.thumbprint));
		return { identity: { tenantId, thumbprint: facts.thumbprint, certificateDer, sealedKey }, facts, warnings: [] };
	} finally {
		pkcs8Der.fill(0);
	}
}

const PROBE = "<Probe></Probe>";

/** Signs a probe with an identity that has just come and verifies it. Throws: certificate-invalid when that fails. */
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
