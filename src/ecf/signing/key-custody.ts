/**
 * Private keys between the database, where they lie sealed, and the engine, where they are used.
 *
 * A ring holds the keys that one thread has opened. A key leaves it, and its memory is given back, when it was not used for a
 * while, when too many are open, or when its certificate goes and the ring is told.
 */

import type { Envelope } from "../../platform/secrets";
import { type RsaEngine, type SigningIdentity, toSigningIdentity } from "./engine";
import type { SealedIdentity } from "./sign-job";

/** Most opened keys kept at a time in one thread. */
const KEYS_MAX = 2_000;
/** How long a key stays open without use. Threads that nobody tells of a removed certificate forget its key by this. */
const IDLE_MAX_MS = 10 * 60_000;

/** Where a certificate's key is sealed for. */
export const placeOfSigningKey = (tenantId: string, thumbprint: string) => `signing-key|${tenantId}|${thumbprint}`;

type KeyRing = {
	/**
	 * Opens a sealed identity, or gives the one that is open. Use it at once and keep it nowhere: a later call may free it.
	 * Throws: SealedSecretError when the key does not open.
	 */
	readonly open: (identity: SealedIdentity) => SigningIdentity;
	/** Frees the key of a certificate that went. */
	readonly forget: (identity: Pick<SealedIdentity, "tenantId" | "thumbprint">) => void;
	/** Frees what was not used for a while; call it now and then. */
	readonly sweep: () => void;
	readonly size: () => number;
};

type KeyRingOptions = {
	readonly envelope: Envelope;
	readonly engine: RsaEngine;
	readonly keysMax?: number;
	/** Milliseconds that only grow. */
	readonly now?: () => number;
};

const monotonicMs = () => performance.now();

type OpenKey = { readonly identity: SigningIdentity; usedAt: number };

/**
 * Keys are found by tenant and certificate, and those are what the seal is bound to: a key copied to another tenant's row
 * does not open, cached or not.
 */
export function createKeyRing({ envelope, engine, keysMax = KEYS_MAX, now = monotonicMs }: KeyRingOptions): KeyRing {
	/** The one that was used longest ago comes first. */
	const ring = new Map<string, OpenKey>();

	function drop(context: string): void {
		ring.get(context)?.identity.rsa.free();
		ring.delete(context);
	}

	function open(identity: SealedIdentity): SigningIdentity {
		const context = placeOfSigningKey(identity.tenantId, identity.thumbprint);
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
		forget: ({ tenantId, thumbprint }) => drop(placeOfSigningKey(tenantId, thumbprint)),
		sweep() {
			const since = now() - IDLE_MAX_MS;
			for (const [context, { usedAt }] of ring) if (usedAt < since) drop(context);
		},
		size: () => ring.size,
	};
}
