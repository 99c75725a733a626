/**
 * Private keys between the database, which stores them sealed, and the engine, which uses them.
 *
 * A ring holds the keys that one thread has opened. It frees a key that has not been used for a while, when too many are open, and when its
 * certificate is removed.
 */
import type { Envelope } from "../../platform/secrets";
import { type RsaEngine, type SigningIdentity, toSigningIdentity } from "./engine";
import type { SealedIdentity } from "./sign-job";

const KEYS_MAX = 2_000;
/** How long an unused key stays open. A thread that misses the removal of a certificate frees its key by then. */
const IDLE_MAX_MS = 10 * 60_000;

export const signingKeyContext = (tenantId: string, thumbprint: string) => `signing-key|${tenantId}|${thumbprint}`;

type KeyRing = {
	/**
	 * Opens a sealed identity, or returns the open one. Use it at once and do not keep it: a later call may free it.
	 * Throws: SealedSecretError if the key does not open.
	 */
	readonly open: (identity: SealedIdentity) => SigningIdentity;
	/** Frees the key of a removed certificate. */
	readonly forget: (identity: Pick<SealedIdentity, "tenantId" | "thumbprint">) => void;
	/** Frees the keys that have been idle for too long. Call it periodically. */
	readonly sweep: () => void;
	readonly size: () => number;
};

type KeyRingOptions = {
	readonly envelope: Envelope;
	readonly engine: RsaEngine;
	readonly keysMax?: number;
	/** A monotonic clock, in milliseconds. */
	readonly now?: () => number;
};

const monotonicMs = () => performance.now();

type OpenKey = { readonly identity: SigningIdentity; usedAt: number };

/** Keys are found by tenant and certificate, to which the seal is also bound. A key copied to another tenant's row does not open, cached or not. */
export function createKeyRing({ envelope, engine, keysMax = KEYS_MAX, now = monotonicMs }: KeyRingOptions): KeyRing {
	/** The least recently used key comes first. */
	const ring = new Map<string, OpenKey>();

	function drop(context: string): void {
		ring.get(context)?.identity.rsa.free();
		ring.delete(context);
	}

	function open(identity: SealedIdentity): SigningIdentity {
		const context = signingKeyContext(identity.tenantId, identity.thumbprint);
		const known = ring.get(context);
		ring.delete(context);
		const entry = known ?? { identity: openKey(identity, context), usedAt: 0 };
		entry.usedAt = now();
		ring.set(context, entry);
		const [oldest] = ring.size > keysMax ? ring.keys() : [];
		if (oldest !== undefined) drop(oldest);
		return entry.identity;
	}

	function openKey({ certificateDer, sealedKey }: SealedIdentity, context: string): SigningIdentity {
		const pkcs8Der = envelope.open(sealedKey, context);
		try {
			return toSigningIdentity({ certificateDer, pkcs8Der }, engine);
		} finally {
			pkcs8Der.fill(0);
		}
	}

	return {
		open,
		forget: ({ tenantId, thumbprint }) => drop(signingKeyContext(tenantId, thumbprint)),
		sweep() {
			const since = now() - IDLE_MAX_MS;
			for (const [context, { usedAt }] of ring) if (usedAt < since) drop(context);
		},
		size: () => ring.size,
	};
}
