/** The objects of the store: those that the index knows, and those that it does not. */

import type { Sql } from "../../platform/database";
import { type Manifest, readManifest, SealedObjectError } from "../documents/seal";
import {
	type Archive,
	type ObjectFault,
	ObjectMissingError,
	type StoredObject,
	sealedObjectKey,
	sha256Hex,
} from "../object-store/archive";
import { inPacks } from "./at-once";
import type { ArchiveFault, ReportFault } from "./fault";
import { findByDigest, findKnownKeys, findWaitingDocuments, type KeptRow, type VerifiedLeaf } from "./store";

export type Expected = Pick<VerifiedLeaf, "objectKey" | "docId" | "tenantId" | "decidedAt"> & {
	/** Hex. */
	readonly sha256: string;
	readonly kept: KeptRow;
};

export type ObjectFinding = {
	readonly fault: ArchiveFault;
	/** Digest (hex) of the wrong bytes that were found. */
	readonly found?: string;
	/** Key of a missing object. */
	readonly lostKey?: string;
};

const SENTENCES: Readonly<Record<ObjectFault, string>> = {
	missing: "the object is not in the store",
	changed: "the object has other bytes than were archived",
	unreadable: "the object cannot be read",
	hidden: "another version is above the object under its key",
	unlocked: "the store would allow the object's removal before its date",
};

/** Undefined for an object that is as it was archived. */
export async function checkObject(archive: Archive, expected: Expected): Promise<ObjectFinding | undefined> {
	const { objectKey: key, docId, kept } = expected;
	const find = (fault: ObjectFault): ObjectFinding => ({ fault: { docId, key, fault, detail: SENTENCES[fault] } });
	const bytes = await archive.get(key, kept.versionId).catch((error: unknown) => {
		return error instanceof ObjectMissingError ? ("missing" as const) : ("unreadable" as const);
	});
	if (bytes === "missing") return { ...find(bytes), lostKey: key };
	if (typeof bytes === "string") return find(bytes);
	const found = sha256Hex(bytes);
	if (found !== expected.sha256) return { ...find("changed"), found };
	// A store with versions can check more than the bytes.
	if (kept.versionId !== null) {
		const fault = await archive.verify(key, expected.sha256, kept);
		if (fault) return find(fault);
	}
	const detail = disagreement(bytes, expected);
	return detail === undefined ? undefined : { fault: { docId, key, fault: "sealed", detail } };
}

function disagreement(bytes: Uint8Array, { docId, tenantId, decidedAt, kept }: Expected): string | undefined {
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
	if (kept.bytes !== bytes.length) return `the object has ${bytes.length} bytes, the index says ${kept.bytes}`;
	// The retention may have been extended since sealing, never shortened.
	if (!(kept.retainUntil >= new Date(manifest.retainUntil)))
		return `the object is kept until ${manifest.retainUntil}, the index says ${kept.retainUntil.toISOString()}`;
	return undefined;
}

/** Prefix of the archive's proof; other objects are documents. */
export const PROOF = "proof/";

const PACK = 1_000;
/** Larger than any sealed document. Larger objects are not read. */
const BYTES_MAX = 64 * 1024 * 1024;

/**
 * Reports objects in the store that have no row. An object whose document waits in the outbox is not reported: its handler will find it again
 * under the object's own key. A copy under any other key is reported.
 */
export async function checkUnknownObjects(
	{ sql, archive }: { sql: Sql; archive: Archive },
	report: ReportFault,
): Promise<void> {
	for await (const pack of inPacks(archive.list(""), PACK)) {
		const documents = pack.filter(({ key }) => !key.startsWith(PROOF));
		const known = await findKnownKeys(
			sql,
			documents.map(({ key }) => key),
		);
		const unknown: UnknownObject[] = [];
		for (const object of documents) {
			if (isKept(known.get(object.key))) continue;
			unknown.push(await describeObject(archive, object));
		}
		await reportUnknown(sql, unknown, report);
	}
}

/** A removed object is unknown if the store still has it. */
function isKept(place: { readonly isRemoved: boolean } | undefined): boolean {
	return place?.isRemoved === false;
}

type UnknownObject = {
	readonly key: string;
	/** Hex; absent for what cannot be read. */
	readonly digest?: string;
	/** The document of a whole sealed object, and the key where it belongs. */
	readonly of?: { readonly tenantId: string; readonly docId: string; readonly ownKey: string };
	readonly what: string;
};

async function describeObject(archive: Archive, { key, bytes: size }: StoredObject): Promise<UnknownObject> {
	if (size > BYTES_MAX) return { key, what: `${size} bytes, too large for a document` };
	const bytes = await archive.get(key).catch(() => undefined);
	if (!bytes) return { key, what: "an object that cannot be read" };
	const digest = sha256Hex(bytes);
	try {
		const { tenantId, docId, decidedAt } = readManifest(bytes);
		const ownKey = sealedObjectKey({ tenantId, docId, decidedAt: new Date(decidedAt), sha256: digest });
		return {
			key,
			digest,
			of: { tenantId, docId, ownKey },
			what: "a whole sealed document, which archive restore would add",
		};
	} catch (error) {
		if (error instanceof SealedObjectError) return { key, digest, what: error.message };
		throw error;
	}
}

async function reportUnknown(sql: Sql, unknown: readonly UnknownObject[], report: ReportFault): Promise<void> {
	if (unknown.length === 0) return;
	const waiting = await findWaitingDocuments(
		sql,
		unknown.flatMap(({ of }) => of ?? []),
	);
	const digests = await findByDigest(
		sql,
		unknown.flatMap(({ digest }) => digest ?? []),
	);
	// An object archived during the check has its row by now.
	const known = await findKnownKeys(
		sql,
		unknown.map(({ key }) => key),
	);
	for (const { key, digest, of, what } of unknown) {
		const docId = of?.docId;
		if (isKept(known.get(key)) || (of?.ownKey === key && waiting.has(of.docId))) continue;
		const owner = digest === undefined ? undefined : digests.get(digest);
		const detail =
			owner && owner.objectKey !== key
				? `an object without a row: the bytes of document ${owner.docId}, which belong under ${owner.objectKey}`
				: `an object without a row: ${what}`;
		report({ docId: owner?.docId ?? docId ?? null, key, fault: "strange", detail });
	}
}
