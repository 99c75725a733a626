/**
 * Keeps documents longer than ten years. Nothing shortens a retention. The store is changed before the index, so the index never shows a date that the
 * store does not enforce.
 */
import { type Doer, recordAudit } from "../../identity/audit-log";
import type { Sql } from "../../platform/database";
import type { ListCursor } from "../documents/store";
import type { Archive } from "../object-store/archive";
import { countObjects, extendObjects, findShorter, type Target } from "./store";

export type Extension = { readonly target: Target; readonly until: Date; readonly doer: Doer };

const PAGE = 500;
const AT_ONCE_MAX = 8;

/** Returns how many objects the target has, and how many were extended. Documents decided later have their own ten years. */
export async function extendRetention(
	{ sql, archive }: { readonly sql: Sql; readonly archive: Pick<Archive, "extendRetention"> },
	{ target, until, doer }: Extension,
): Promise<{ readonly objects: number; readonly extended: number }> {
	let extended = 0;
	let after: ListCursor | undefined;
	for (;;) {
		const page = await findShorter(sql, target, until, after, PAGE);
		for (let at = 0; at < page.length; at += AT_ONCE_MAX) {
			const some = page.slice(at, at + AT_ONCE_MAX);
			await Promise.all(some.map((one) => archive.extendRetention(one.objectKey, one.versionId, until)));
		}
		if (page.length === 0) return { objects: await countObjects(sql, target), extended };
		extended += await sql.begin(async (tx) => {
			const objects = await extendObjects(tx, target.tenantId, page, until);
			await recordAudit(tx, {
				...{ ...doer, action: "archive.retain", tenantId: target.tenantId },
				subject: target.docId ?? target.tenantId,
				details: { until: until.toISOString(), objects },
			});
			return objects;
		});
		after = page.at(-1);
	}
}
