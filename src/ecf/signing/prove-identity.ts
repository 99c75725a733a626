import { Problem } from "../../platform/problem";
import type { RsaEngine } from "./engine";
import { type IdentityBytes, toSigningIdentity } from "./identity";
import { verifyOwnSignature } from "./verify-own";
import { signXml } from "./xades";

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
