/**
 * Objects in the store that no row knows. One whose document is still to be archived is none of them: it was written a moment ago, or before a
 * crash, and the document's message in the outbox will be carried out again and find it.
 */
import { createHash } from "node:crypto";
import type { Sql } from "../../platform/database";
import type { Archive, StoredObject } from "../archive";
import { readManifest, SealedObjectError } from "../seal";
import { inPacks } from "./at-once";
import type { Tell } from "./fault";
import { findByDigest, findKnownKeys, findWaitingDocuments } from "./store";

/** Below it stands what proves the archive, which is no document. */
export const PROOF = "proof/";

const PACK = 1_000;
/** No sealed document is so large; what is, is not read whole. */
const BYTES_MAX = 64 * 1024 * 1024;

export async function checkStrange(
	{ sql, archive, isForgetful }: { sql: Sql; archive: Archive; isForgetful: boolean },
	tell: Tell,
): Promise<void> {
	for await (const pack of inPacks(archive.list(""), PACK)) {
		const documents = pack.filter(({ key }) => !key.startsWith(PROOF));
		const known = await findKnownKeys(
			sql,
			documents.map(({ key }) => key),
		);
		const strange: Strange[] = [];
		for (const object of documents) {
			const place = known.get(object.key);
			// A leaf without its row has been told already, except where rows may go.
			if (place && (place.hasRow || !(isForgetful || place.isRemoved))) continue;
			strange.push(await lookInto(archive, object));
		}
		await tellStrange(sql, strange, tell);
	}
}

type Strange = {
	readonly key: string;
	/** Hex; absent for what cannot be read. */
	readonly digest?: string;
	/** Of a whole sealed document. */
	readonly docId?: string;
	readonly what: string;
};

async function lookInto(archive: Archive, { key, bytes: size }: StoredObject): Promise<Strange> {
	if (size > BYTES_MAX) return { key, what: `${size} bytes, which is no document` };
	const bytes = await archive.get(key).catch(() => undefined);
	if (!bytes) return { key, what: "an object that cannot be read" };
	const digest = createHash("sha256").update(bytes).digest("hex");
	try {
		const { docId } = readManifest(bytes);
		return { key, digest, docId, what: "a whole sealed document, which archive restore would write down" };
	} catch (error) {
		if (error instanceof SealedObjectError) return { key, digest, what: error.message };
		throw error;
	}
}

async function tellStrange(sql: Sql, strange: readonly Strange[], tell: Tell): Promise<void> {
	if (strange.length === 0) return;
	const docIds = strange.flatMap(({ docId }) => docId ?? []);
	const waiting = await findWaitingDocuments(sql, docIds);
	const digests = await findByDigest(
		sql,
		strange.flatMap(({ digest }) => digest ?? []),
	);
	// What was archived while we looked has its row by now.
	const known = await findKnownKeys(
		sql,
		strange.map(({ key }) => key),
	);
	for (const { key, digest, docId, what } of strange) {
		if (known.get(key)?.hasRow || (docId !== undefined && waiting.has(docId))) continue;
		const owner = digest === undefined ? undefined : digests.get(digest);
		const detail =
			owner && owner.objectKey !== key
				? `an object that no row knows: the bytes of document ${owner.docId}, which belong under ${owner.objectKey}`
				: `an object that no row knows: ${what}`;
		tell({ docId: owner?.docId ?? docId ?? null, key, fault: "strange", detail });
	}
}
