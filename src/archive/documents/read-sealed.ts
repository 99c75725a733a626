/** Reads sealed documents back, for what the database does not hold any more. The newest ones stay in memory. */
import type { Sql } from "../../platform/database";
import { msg, Problem } from "../../platform/problem";
import type { Archive } from "../object-store/archive";
import { type Manifest, openSealed, readManifest, SealedObjectError } from "./seal";
import { type ArchivedObject, getArchiveObject } from "./store";

/** A sealed document: its manifest, and the text of each entry by name. */
export type SealedTexts = {
	readonly manifest: Manifest;
	readonly texts: Readonly<Record<string, string>>;
	/** As sealed; a document of another issuer may be in any encoding. */
	readonly ecf: Uint8Array;
};

/**
 * The document as it was sealed at its latest decision. Throws: archive-unavailable when the store does not answer with it; not-found when it
 * was removed after its retention.
 */
export type ReadSealed = (document: { readonly tenantId: string; readonly docId: string }) => Promise<SealedTexts>;

/** Units: bytes of sealed objects. */
const KEPT_BYTES_MAX = 64 * 1024 * 1024;

export function createReadSealed({
	sql,
	archive,
}: {
	readonly sql: Sql;
	readonly archive: Pick<Archive, "get">;
}): ReadSealed {
	/** By key; the least recently read comes first. */
	const kept = new Map<string, Uint8Array>();
	let keptBytes = 0;

	async function readObject({ objectKey, versionId }: ArchivedObject): Promise<Uint8Array> {
		const bytes = kept.get(objectKey) ?? (await archive.get(objectKey, versionId));
		if (!kept.delete(objectKey)) keptBytes += bytes.length;
		kept.set(objectKey, bytes);
		for (const [key, { length }] of kept) {
			if (keptBytes <= KEPT_BYTES_MAX) break;
			kept.delete(key);
			keptBytes -= length;
		}
		return bytes;
	}

	return async ({ tenantId, docId }) => {
		const object = await getArchiveObject(sql, tenantId, docId);
		if (!object) throw new Problem("not-found", { detail: msg`The document was removed from the archive.` });
		try {
			const bytes = await readObject(object);
			const entries = openSealed(bytes);
			const ecf = entries["ecf.xml"];
			if (!ecf) throw new SealedObjectError("the document is missing");
			const texts = Object.fromEntries(
				Object.entries(entries).map(([name, entry]) => [name, Buffer.from(entry).toString()]),
			);
			return { manifest: readManifest(bytes), texts, ecf };
		} catch (cause) {
			throw new Problem("archive-unavailable", { headers: { "retry-after": "5" }, cause });
		}
	};
}
