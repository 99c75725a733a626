/**
 * The end of every handler that archives something: sealed, put into the store, written into the index.
 *
 *   parts ──▶ sealed ──▶ found again, from an earlier attempt? ──▶ lease? ──▶ put once ──▶ row, while the message is held
 *
 * The object comes before its row, so a crash between them leaves an object that no row knows until the message is claimed again.
 */

import { createHash } from "node:crypto";
import { createWriteBatcher, type Sql } from "../../platform/database";
import { assertLeaseTime, LeaseLostError, type Message } from "../../platform/outbox";
import type { Archive } from "../object-store/archive";
import { type Manifest, openSealed, readManifest, SealedObjectError, type SealParts, sealDocument } from "./seal";
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
		assertLeaseTime(message);
		const { sha256, bytes, versionId = null } = await archive.putOnce(objectKey, sealed, { retainUntil });
		const object = { docId, tenantId, objectKey, sha256, bytes, decidedAt, retainUntil, versionId };
		if (!(await insertObject({ message, object }))) throw new LeaseLostError(message);
	};
}

/** No sealed document is so large; what is, is not read. */
const BYTES_MAX = 64 * 1024 * 1024;
const EVENTS = "events.json";

/** The name of a sealed document below its place. Its digest is part of it: whatever is sealed anew, there is never a conflict. */
export function nameSealed(place: string, sealed: Uint8Array): string {
	return `${place}${createHash("sha256").update(sealed).digest("hex").slice(0, 16)}.zip`;
}

/** Undefined where there is none. */
export async function findEarlierSealing(
	archive: Pick<Archive, "list" | "get">,
	place: string,
	now: Uint8Array,
): Promise<{ readonly objectKey: string; readonly sealed: Uint8Array } | undefined> {
	for await (const { key: objectKey, bytes } of archive.list(place)) {
		if (bytes > BYTES_MAX) continue;
		const sealed = await archive.get(objectKey);
		if (objectKey === nameSealed(place, sealed) && isEarlier(sealed, now)) return { objectKey, sealed };
	}
	return undefined;
}

/** False for one that is damaged, too, which the archive's verification tells. */
export function isEarlier(sealed: Uint8Array, now: Uint8Array): boolean {
	const wanted = readManifest(now);
	const before = readWhole(sealed);
	if (!before) return false;
	const isSame = JSON.stringify(withoutGrowing(before)) === JSON.stringify(withoutGrowing(wanted));
	if (!isSame) return false;
	const [whole, begin] = [told(now, wanted), told(sealed, before)];
	const decidedAt = Date.parse(wanted.decidedAt);
	return whole.every((list, i) => isBeginning(begin[i] ?? [], list, decidedAt));
}

/** Undefined for one that does not hold what a sealed document holds. */
function readWhole(sealed: Uint8Array): Manifest | undefined {
	try {
		const manifest = readManifest(sealed);
		told(sealed, manifest);
		return manifest;
	} catch (error) {
		// Whoever made it may have left anything out.
		if (error instanceof SealedObjectError || error instanceof TypeError || error instanceof SyntaxError)
			return undefined;
		throw error;
	}
}

/** All but what may grow after the decision. Members of a manifest have one order. */
function withoutGrowing({ answers, sha256, ...rest }: Manifest) {
	const growing = new Set([EVENTS, ...answers.map(({ entry }) => entry)]);
	return [rest, Object.entries(sha256).filter(([name]) => !growing.has(name))];
}

/** What the authority said, or what happened, and when. */
type Told = { readonly text: string; readonly at: number };

/** Answers with what they say, then events. */
function told(sealed: Uint8Array, { answers, sha256 }: Manifest): Told[][] {
	const events = JSON.parse(Buffer.from(openSealed(sealed)[EVENTS] ?? "").toString()) as readonly { at: string }[];
	return [
		answers.map((answer) => ({ text: JSON.stringify([answer, sha256[answer.entry]]), at: Date.parse(answer.at) })),
		events.map((event) => ({ text: JSON.stringify(event), at: Date.parse(event.at) })),
	];
}

/** What is left out at the end came after the decision. */
function isBeginning(begin: readonly Told[], whole: readonly Told[], decidedAt: number): boolean {
	const isSame = begin.every(({ text }, n) => text === whole[n]?.text);
	return isSame && whole.slice(begin.length).every(({ at }) => at > decidedAt);
}
