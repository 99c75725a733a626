/**
 * The end of every handler that archives something: sealed, put into the store, written into the index.
 *
 *   parts ──▶ sealed ──▶ found again, from an earlier attempt? ──▶ lease? ──▶ put once ──▶ row, while the message is held
 *
 * The object comes before its row, so a crash between them leaves an object that no row knows until the message is claimed again.
 */
import { createWriteBatcher, type Sql } from "../platform/database";
import { LeaseLostError, type Message, mustHaveLease } from "../platform/outbox";
import type { Archive } from "./archive";
import { findEarlierSealing, nameSealed } from "./earlier-sealing";
import { type SealParts, sealDocument } from "./seal";
import { type HeldObject, insertHeldObjects } from "./store";

/** How long everything is kept, counted from its decision. Source: the specification, Limits. */
export const RETENTION_YEARS = 10;

/** Throws: LeaseLostError, ArchiveConflictError, and whatever keeps the store from taking it. */
export type KeepSealed = (message: Message, parts: Omit<SealParts, "retainUntil">) => Promise<void>;

const WRITES = { itemsMax: 64, runsMax: 2 };

export function createKeepSealed({ sql, archive }: { readonly sql: Sql; readonly archive: Archive }): KeepSealed {
	const insertObject = createWriteBatcher(
		(all: readonly HeldObject[]) => insertHeldObjects(sql, all),
		({ object }) => object.objectKey,
		WRITES,
	);
	return async (message, parts) => {
		const { docId, tenantId, decidedAt } = parts;
		const retainUntil = new Date(decidedAt);
		retainUntil.setUTCFullYear(retainUntil.getUTCFullYear() + RETENTION_YEARS);
		const sealedNow = sealDocument({ ...parts, retainUntil });
		const place = `${tenantId}/${decidedAt.getUTCFullYear()}/${docId}-`;
		const before = message.attempt > 1 ? await findEarlierSealing(archive, place, sealedNow) : undefined;
		const { objectKey, sealed } = before ?? { objectKey: nameSealed(place, sealedNow), sealed: sealedNow };
		mustHaveLease(message);
		const { sha256, bytes, versionId = null } = await archive.putOnce(objectKey, sealed, { retainUntil });
		const object = { docId, tenantId, objectKey, sha256, bytes, decidedAt, retainUntil, versionId };
		if (!(await insertObject({ message, object }))) throw new LeaseLostError(message);
	};
}
