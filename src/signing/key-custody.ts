import { createPrivateKey } from "node:crypto";
import type { Envelope } from "../secrets";
import { describeCertificate } from "./certificate";
import type { SigningIdentity } from "./identity";
import type { SealedCertificate, SealedIdentity } from "./signer";

/** Most opened keys kept at a time in one thread. */
const KEYS_MAX = 2_000;

const contextOf = (tenantId: string, thumbprint: string) => `signing-key|${tenantId}|${thumbprint}`;

/** Seals a fresh key for its tenant and certificate, and wipes the clear bytes. */
export function sealKey(
	envelope: Envelope,
	tenantId: string,
	certificateDer: Uint8Array,
	pkcs8Der: Uint8Array,
): SealedCertificate {
	const facts = describeCertificate(certificateDer);
	const sealedKey = envelope.seal(pkcs8Der, contextOf(tenantId, facts.thumbprint));
	pkcs8Der.fill(0);
	return { identity: { tenantId, thumbprint: facts.thumbprint, certificateDer, sealedKey }, facts };
}

/**
 * Opens sealed identities, keeping the latest in memory. The cache is found by the sealed bytes' own tenant and certificate,
 * and those are what the seal is bound to: a key copied to another tenant's row does not open, cached or not.
 */
export function createKeyRing(envelope: Envelope): (identity: SealedIdentity) => SigningIdentity {
	const opened = new Map<string, SigningIdentity>();
	return (identity) => {
		const context = contextOf(identity.tenantId, identity.thumbprint);
		const known = opened.get(context);
		if (known) return known;
		const pkcs8Der = envelope.open(identity.sealedKey, context);
		try {
			const privateKey = createPrivateKey({ key: pkcs8Der, format: "der", type: "pkcs8" });
			const fresh: SigningIdentity = { certificateDer: identity.certificateDer, privateKey };
			if (opened.size >= KEYS_MAX) opened.delete(opened.keys().next().value ?? "");
			opened.set(context, fresh);
			return fresh;
		} finally {
			pkcs8Der.fill(0);
		}
	};
}
