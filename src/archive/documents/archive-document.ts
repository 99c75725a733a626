/**
 * The last step of every handler that archives a document: seal it, put it into the store, write its row.
 *
 *   parts ──▶ sealed ──▶ sealed by an earlier attempt? ──▶ lease? ──▶ put once ──▶ row, while the message is held
 *
 * The object comes before its row, so a crash between them leaves an object without a row until the message is claimed again.
 *
 * An earlier holder of the message may have sealed the same decision and died before its row:
 *
 *   first holder   seals ──▶ writes ──▶ dies
 *   authority                                answers once more
 *   next holder                                                  seals, and would write another object beside the first
 *
 * The next holder takes the first object if both say the same: the same document, request, verdict and dates, and the same answers and events
 * except the last ones, which came after the decision. Write access to the store alone does not decide what is archived: any other object stays
 * unknown to the index.
 */

import { createWriteBatcher, type Sql } from "../../platform/database";
import { assertLeaseTime, LeaseLostError, type Message } from "../../platform/outbox";
import { type Archive, sealedObjectKey, sealedPrefix, sha256Hex } from "../object-store/archive";
import { type Manifest, openSealed, readManifest, SealedObjectError, type SealParts, sealDocument } from "./seal";
import { insertLeasedObjects, type LeasedObject } from "./store";

/** Retention of every document, counted from its decision. Source: the specification, Limits. */
export const RETENTION_YEARS = 10;

/** Archives a document. Throws: LeaseLostError, ArchiveConflictError, and errors of the store. */
type ArchiveDocument = (message: Message, parts: Omit<SealParts, "retainUntil">) => Promise<void>;

const WRITES = { itemsMax: 64, runsMax: 2 };

export function createArchiveDocument({
	sql,
	archive,
}: {
	readonly sql: Sql;
	readonly archive: Archive;
}): ArchiveDocument {
	const insertObject = createWriteBatcher(
		(all: readonly LeasedObject[]) => insertLeasedObjects(sql, all),
		({ object: { tenantId, docId, sha256 } }) => `${tenantId}/${docId}/${sha256}`,
		WRITES,
	);
	return async (message, parts) => {
		const { docId, tenantId, decidedAt } = parts;
		const retainUntil = new Date(decidedAt);
		retainUntil.setUTCFullYear(retainUntil.getUTCFullYear() + RETENTION_YEARS);
		const sealedNow = sealDocument({ ...parts, retainUntil });
		const before = message.isRepeat ? await findEarlierSealing(archive, parts, sealedNow) : undefined;
		const { objectKey, sealed } = before ?? { objectKey: nameSealed(parts, sealedNow), sealed: sealedNow };
		assertLeaseTime(message);
		const { sha256, bytes, versionId = null } = await archive.putOnce(objectKey, sealed, { retainUntil });
		const { encf, type, status } = parts;
		const object = { docId, tenantId, sha256, bytes, decidedAt, retainUntil, versionId, encf, type, status };
		if (!(await insertObject({ message, object }))) throw new LeaseLostError(message);
	};
}

/** Larger than any sealed document. Larger objects are not read. */
const BYTES_MAX = 64 * 1024 * 1024;
const EVENTS = "events.json";

type Named = Pick<SealParts, "tenantId" | "docId" | "decidedAt">;

function nameSealed(of: Named, sealed: Uint8Array): string {
	return sealedObjectKey({ ...of, sha256: sha256Hex(sealed) });
}

/** An object of an earlier attempt; undefined if there is none. */
export async function findEarlierSealing(
	archive: Pick<Archive, "list" | "get">,
	of: Named,
	now: Uint8Array,
): Promise<{ readonly objectKey: string; readonly sealed: Uint8Array } | undefined> {
	for await (const { key: objectKey, bytes } of archive.list(sealedPrefix(of))) {
		if (bytes > BYTES_MAX) continue;
		const sealed = await archive.get(objectKey);
		if (objectKey === nameSealed(of, sealed) && isEarlier(sealed, now)) return { objectKey, sealed };
	}
	return undefined;
}

/** Whether a sealed object says the same as this one. False for a damaged object, which the archive's verification reports. */
export function isEarlier(sealed: Uint8Array, now: Uint8Array): boolean {
	const wanted = readManifest(now);
	const before = readWhole(sealed);
	if (!before) return false;
	const isSame = JSON.stringify(withoutGrowing(before)) === JSON.stringify(withoutGrowing(wanted));
	if (!isSame) return false;
	const [whole, begin] = [readGrowing(now, wanted), readGrowing(sealed, before)];
	const decidedAt = Date.parse(wanted.decidedAt);
	return whole.every((list, i) => isBeginning(begin[i] ?? [], list, decidedAt));
}

/** Undefined for an object that is not a sealed document. */
function readWhole(sealed: Uint8Array): Manifest | undefined {
	try {
		const manifest = readManifest(sealed);
		readGrowing(sealed, manifest);
		return manifest;
	} catch (error) {
		// An object from elsewhere may lack any part.
		if (error instanceof SealedObjectError || error instanceof TypeError || error instanceof SyntaxError)
			return undefined;
		throw error;
	}
}

/** The manifest without what may grow after the decision. Its members have a fixed order. */
function withoutGrowing({ answers, sha256, ...rest }: Manifest) {
	const growing = new Set([EVENTS, ...answers.map(({ entry }) => entry)]);
	return [rest, Object.entries(sha256).filter(([name]) => !growing.has(name))];
}

/** An answer of the authority or an event, with its time. */
type TimedText = { readonly text: string; readonly at: number };

/** The lists that may grow: the answers, and the events. */
function readGrowing(sealed: Uint8Array, { answers, sha256 }: Manifest): TimedText[][] {
	const events = JSON.parse(Buffer.from(openSealed(sealed)[EVENTS] ?? "").toString()) as readonly { at: string }[];
	return [
		answers.map((answer) => ({ text: JSON.stringify([answer, sha256[answer.entry]]), at: Date.parse(answer.at) })),
		events.map((event) => ({ text: JSON.stringify(event), at: Date.parse(event.at) })),
	];
}

/** True if `whole` begins with `begin` and the rest came after the decision. */
function isBeginning(begin: readonly TimedText[], whole: readonly TimedText[], decidedAt: number): boolean {
	const isSame = begin.every(({ text }, n) => text === whole[n]?.text);
	return isSame && whole.slice(begin.length).every(({ at }) => at > decidedAt);
}
