/** One object of the store: is it there, are its bytes those of its leaf, and does what it says of itself agree with the index? */
import { createHash } from "node:crypto";
import { type Archive, type ObjectFault, ObjectMissingError } from "../archive";
import { type Manifest, readManifest, SealedObjectError } from "../seal";
import type { ArchiveFault } from "./fault";
import type { IndexRow } from "./store";

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
