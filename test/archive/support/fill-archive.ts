/** Archives with objects in them: a real folder, real rows, made without invoices. */
import { createHash } from "node:crypto";
import { type Archive, type ArchiveObject, insertArchiveObjects, toZip } from "../../../src/archive";
import type { Sql } from "../../../src/platform/database";
import { newId } from "../../../src/platform/values";

export type Filling = {
	readonly tenantId: string;
	readonly count: number;
	/** When the first was decided; the others follow, a minute apart. */
	readonly from: Date;
	/** How long each is kept; ten years by default. */
	readonly keptMs?: number;
};

const TEN_YEARS_MS = 10 * 365.25 * 86_400_000;
const AT_ONCE = 250;

/** Answers the rows as they were written, in the order of their decisions. */
export async function fillArchive(
	{ sql, archive }: { sql: Sql; archive: Archive },
	{ tenantId, count, from, keptMs = TEN_YEARS_MS }: Filling,
): Promise<ArchiveObject[]> {
	const all: ArchiveObject[] = [];
	for (let n = 0; n < count; n += AT_ONCE) {
		const some = await Promise.all(
			Array.from({ length: Math.min(AT_ONCE, count - n) }, async (_, i) => {
				const decidedAt = new Date(from.getTime() + (n + i) * 60_000);
				const docId = newId(decidedAt);
				const retainUntil = new Date(decidedAt.getTime() + keptMs);
				const bytes = toZip([["ecf.xml", crypto.getRandomValues(new Uint8Array(1_500))]]);
				const sha256 = createHash("sha256").update(bytes).digest("hex");
				const objectKey = `${tenantId}/${decidedAt.getUTCFullYear()}/${docId}-${sha256.slice(0, 16)}.zip`;
				await archive.putOnce(objectKey, bytes, { retainUntil });
				return { docId, tenantId, objectKey, sha256, bytes: bytes.length, decidedAt, retainUntil, versionId: null };
			}),
		);
		await insertArchiveObjects(sql, some);
		all.push(...some);
	}
	return all;
}
