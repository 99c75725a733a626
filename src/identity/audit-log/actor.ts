/** Who did something. */
import { hostname, userInfo } from "node:os";
import type { Call } from "../../platform/operation";

export type Actor = {
	/** The API key; absent when it was the operator. */
	readonly keyId?: string;
	/** The OAuth client whose token was sent along. */
	readonly clientId?: string;
	/** The customer whom the key belongs to. */
	readonly ownerId?: string;
	/** The company whose token was sent along. */
	readonly tenantId?: string;
	/** The network address of a caller, or the operator's account and machine. */
	readonly address: string;
	readonly requestId?: string;
};

/** Somebody at an instant: what every entry says of its circumstances. */
export type Doer = { readonly actor: Actor; readonly at: Date };

/** The caller of an operation. */
export function actorOf({ principal, remoteAddress, requestId }: Call): Actor {
	const { keyId, clientId, ownerId, tenantId } = principal ?? {};
	return {
		...(keyId === undefined ? {} : { keyId }),
		...(clientId === undefined ? {} : { clientId }),
		...(ownerId ? { ownerId } : {}),
		...(tenantId === undefined ? {} : { tenantId }),
		address: remoteAddress,
		requestId,
	};
}

/** Whoever runs this process: a command of the operator's, or the service by itself. */
export function operatorActor(): Actor {
	return { address: `${accountName()}@${hostname()}` };
}

function accountName(): string {
	try {
		return userInfo().username;
	} catch {
		// A container may run under a number that no account has.
		return String(process.getuid?.() ?? "unknown");
	}
}
