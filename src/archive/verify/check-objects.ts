/** The objects of the store: those that the index knows, and those that it does not. */

import { createHash } from "node:crypto";
import type { Sql } from "../../platform/database";
import { type Manifest, readManifest, SealedObjectError } from "../documents/seal";
import { type Archive, type ObjectFault, ObjectMissingError, type StoredObject } from "../object-store/archive";
import { inPacks } from "./at-once";
import type { ArchiveFault, Tell } from "./fault";
import { findByDigest, findKnownKeys, findWaitingDocuments, type IndexRow } from "./store";

/** What should stand under a key. */
export type Expected = {
	readonly objectKey: string;
	readonly docId: string;
	readonly tenantId: string;
	/** Hex. */
	readonly sha256: string;
	readonly decidedAt: Date;
	/** Absent where the index has lost it. */
	readonly row: Pick<IndexRow, "bytes" | "retainUntil" | "versionId"> | null;
};

export type ObjectFinding = {
	readonly fault: ArchiveFault;
	/** Digest (hex) of the bytes that stand in the place of the right ones. */
	readonly found?: string;
	/** Key of an object that is not there, of which the index had a row. */
	readonly lostKey?: string;
};

const SENTENCES: Readonly<Record<ObjectFault, string>> = {
	missing: "the object is not in the store",
	changed: "the object holds other bytes than were archived",
	unreadable: "the object cannot be read",
	hidden: "something else stands before the object under its key",
	unlocked: "the store would give the object up before its date",
};

/** Undefined for an object that is as it was archived. */
export async function checkObject(archive: Archive, expected: Expected): Promise<ObjectFinding | undefined> {
	const { objectKey: key, docId, row } = expected;
	const find = (fault: ObjectFault): ObjectFinding => ({ fault: { docId, key, fault, detail: SENTENCES[fault] } });
	const bytes = await archive.get(key, row?.versionId).catch((error: unknown) => {
		return error instanceof ObjectMissingError ? ("missing" as const) : ("unreadable" as const);
	});
	if (bytes === "missing" && row) return { ...find(bytes), lostKey: key };
	if (typeof bytes === "string") return find(bytes);
	const found = createHash("sha256").update(bytes).digest("hex");
	if (found !== expected.sha256) return { ...find("changed"), found };
	// A store with versions knows more of an object than its bytes.
	if (row && row.versionId !== null) {
		const fault = await archive.verify(key, expected.sha256, row);
		if (fault) return find(fault);
	}
	const detail = disagreement(bytes, expected);
	return detail === undefined ? undefined : { fault: { docId, key, fault: "sealed", detail } };
}

function disagreement(bytes: Uint8Array, { docId, tenantId, decidedAt, row }: Expected): string | undefined {
	let manifest: Manifest;
	try {
		manifest = readManifest(bytes);
	} catch (error) {
		if (error instanceof SealedObjectError) return `the object is ${error.message}`;
		throw error;
	}
	if (manifest.docId !== docId) return `the object is of document ${manifest.docId}`;
	if (manifest.tenantId !== tenantId) return `the object is of tenant ${manifest.tenantId}, the index says ${tenantId}`;
	if (manifest.decidedAt !== decidedAt.toISOString())
		return `the object was decided at ${manifest.decidedAt}, the index says ${decidedAt.toISOString()}`;
	if (!row) return undefined;
	if (row.bytes !== bytes.length) return `the object has ${bytes.length} bytes, the index says ${row.bytes}`;
	// It may be kept longer than was said when it was sealed, never shorter.
	if (!(row.retainUntil >= new Date(manifest.retainUntil)))
		return `the object is kept until ${manifest.retainUntil}, the index says ${row.retainUntil.toISOString()}`;
	return undefined;
}

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
