/**
 * Access in a process without a database: keys alone, from a copy that a process with a database writes.
 *
 *   the copy was confirmed less than 15 s ago ............ a key that it lacks is refused with 401
 *   less than the grace ago .............................. with 503: the key may be new
 *   longer ago ........................................... every key is refused with 503: any of them may be revoked
 */
import { absentPart, refuseWithoutDatabase } from "../../platform/operation";
import type { Clock, Environment } from "../../platform/values";
import { createAuthenticate, createRecognise } from "./authenticate";
import { type KnownKey, toKnownKey } from "./directory";
import type { Access } from "./open-access";
import { unavailable } from "./refusal";
import { accessOperations } from "./routes";
import type { CopiedKey } from "./store";

type EdgeAccess = Pick<Access, "authenticate" | "recognise" | "grace" | "operations"> & {
	/** Replaces the copy: JSON of all `CopiedKey`. */
	readonly takeKeys: (text: string) => void;
};

/** Copies are confirmed every five seconds. */
export const COPY_LATE_MS = 15_000;

export function openEdgeAccess(deps: {
	/** Until when the copy has every change. Units: milliseconds of `performance.now`. */
	readonly currentUntil: () => number;
	/** How long keys are accepted while the copy is not confirmed; 15 seconds at least. */
	readonly graceSeconds: number;
	readonly environment: Environment;
	readonly baseUrl: string;
	readonly clock: Clock;
}): EdgeAccess {
	const { currentUntil, environment, baseUrl, clock } = deps;
	const validMs = Math.max(COPY_LATE_MS, deps.graceSeconds * 1_000);
	let keys = new Map<string, KnownKey>();
	const peek = (digest: string, at = performance.now()): KnownKey | undefined =>
		at - currentUntil() < validMs ? keys.get(digest) : undefined;
	const isLate = () => performance.now() - currentUntil() >= COPY_LATE_MS;
	const get = async (digest: string): Promise<KnownKey | undefined> => {
		const known = peek(digest);
		if (!known && isLate()) throw unavailable();
		return known;
	};
	// Gap: tokens are not accepted, as in grace, since most need a company's data.
	const read = () => {
		throw unavailable();
	};
	const directory = { keys: { peek, get }, clients: { peek: read, get: read }, tokens: { peek: read, get: read } };
	const parts = { directory, keyUse: { note: () => undefined }, environment, clock };
	const operations = accessOperations({
		grants: absentPart(),
		keys: absentPart(),
		signerKeys: async () => [],
		baseUrl,
	});
	return {
		authenticate: createAuthenticate({ ...parts, tokens: { read } }),
		recognise: createRecognise(parts),
		grace: { isOn: isLate, isPossible: () => keys.size > 0 && performance.now() - currentUntil() < validMs },
		operations: operations.map((one) => (one.id === "getOauthMetadata" ? one : refuseWithoutDatabase(one))),
		takeKeys: (text) => {
			const copied = JSON.parse(text) as CopiedKey[];
			keys = new Map(
				copied.map(({ digest, expiresAt, ...facts }) => {
					const ends = expiresAt === null ? null : new Date(expiresAt);
					return [digest, toKnownKey({ ...facts, expiresAt: ends, revokedAt: null })];
				}),
			);
		},
	};
}
