/** The lines of leaves in the store, out of which the index could be made again: are all there, and do they say what the tables say? */
import type { Sql } from "../../platform/database";
import type { Archive } from "../archive";
import { type LeafLine, readLines } from "../checkpoints/leaf-lines";
import { findLeaves } from "../checkpoints/store";
import type { Tell } from "./fault";

const FORM = /^proof\/leaves\/(\d{12})-(\d{12})\.jsonl$/;

/** `covered`: so many leaves stand below the newest checkpoint, and have lines. */
export async function checkLines(
	{ sql, archive }: { readonly sql: Sql; readonly archive: Archive },
	covered: number,
	tell: Tell,
): Promise<void> {
	let next = 0;
	const missing = (to: number) => {
		if (next < to)
			tell({
				docId: null,
				key: null,
				fault: "checkpoint",
				detail: `the store has no lines of leaves ${next} to ${to - 1}`,
			});
	};
	for await (const { key } of archive.list("proof/leaves/")) {
		const [, first, last] = FORM.exec(key)?.map(Number) ?? [];
		if (first === undefined || last === undefined) {
			tell({ docId: null, key, fault: "strange", detail: "an object among the lines of leaves that holds none" });
			continue;
		}
		missing(Math.min(first, covered));
		next = Math.max(next, last + 1);
		const lines = await archive.get(key).then(readLines, () => undefined);
		const detail = lines ? await findDifference(sql, { first, last, lines }) : "the lines cannot be read";
		if (detail !== undefined) tell({ docId: null, key, fault: "checkpoint", detail });
	}
	missing(covered);
}

async function findDifference(
	sql: Sql,
	{ first, last, lines }: { readonly first: number; readonly last: number; readonly lines: readonly LeafLine[] },
): Promise<string | undefined> {
	if (lines.length !== last - first + 1) return `there are ${lines.length} lines for ${last - first + 1} leaves`;
	const leaves = await findLeaves(sql, first, last + 1);
	const at = leaves.findIndex((leaf, i) => {
		const line = lines[i];
		return (
			line?.leafIndex !== leaf.leafIndex ||
			line.tenantId !== leaf.tenantId ||
			line.chainIndex !== leaf.chainIndex ||
			line.docId !== leaf.docId ||
			line.objectKey !== leaf.objectKey ||
			line.sha256 !== leaf.sha256 ||
			line.decidedAt !== leaf.decidedAt.toISOString()
		);
	});
	if (at >= 0) return `the line of leaf ${first + at} says otherwise than the leaf`;
	return leaves.length === lines.length
		? undefined
		: `there are lines of leaves from ${first + leaves.length} on, and no leaves`;
}
