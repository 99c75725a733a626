import type { Sql } from "../database";
import type { Archive, ObjectFault } from "./archive";
import { listArchiveObjects } from "./store";

export type ArchiveReport = {
	readonly objects: number;
	readonly verified: number;
	readonly faults: readonly { readonly docId: string; readonly key: string; readonly fault: ObjectFault }[];
};

const PAGE = 500;

/** Reads every object of the index again and names each that is not as it was written. */
export async function verifyArchive(sql: Sql, archive: Archive): Promise<ArchiveReport> {
	const faults: { docId: string; key: string; fault: ObjectFault }[] = [];
	let objects = 0;
	let after: string | undefined;
	for (;;) {
		const page = await listArchiveObjects(sql, { limit: PAGE, ...(after === undefined ? {} : { after }) });
		for (const object of page) {
			const { docId, objectKey: key } = object;
			const fault = await archive.verify(key, object.sha256, object);
			if (fault) faults.push({ docId, key, fault });
		}
		objects += page.length;
		after = page[page.length - 1]?.objectKey;
		if (page.length < PAGE) return { objects, verified: objects - faults.length, faults };
	}
}
