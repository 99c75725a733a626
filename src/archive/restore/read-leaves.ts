/** The lines of leaves as the store has them, in their order and without a gap. */
import { type Static, Type } from "@sinclair/typebox";
import { TypeCompiler } from "@sinclair/typebox/compiler";
import { ID_PATTERN } from "../../platform/values";
import type { Archive } from "../archive";
import { readLines } from "../checkpoints/leaf-lines";
import { RestoreRefusedError } from "./refused";

const Instant = Type.String({ pattern: "^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}Z$" });
const Index = Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER });

const Line = Type.Object({
	leafIndex: Index,
	tenantId: Type.String({ pattern: ID_PATTERN }),
	chainIndex: Index,
	docId: Type.String({ pattern: ID_PATTERN }),
	objectKey: Type.String({ minLength: 1 }),
	sha256: Type.String({ pattern: "^[0-9a-f]{64}$" }),
	bytes: Type.Union([Type.Integer({ minimum: 1 }), Type.Null()]),
	decidedAt: Instant,
	retainUntil: Type.Union([Instant, Type.Null()]),
	versionId: Type.Optional(Type.String()),
});
export type Line = Static<typeof Line>;

const line = TypeCompiler.Compile(Line);
const FORM = /^proof\/leaves\/(\d{12})-(\d{12})\.jsonl$/;

/** Packs of lines. Throws: RestoreRefusedError for a gap, and for what is no line. */
export async function* readLeaves(archive: Archive, packSize: number): AsyncGenerator<Line[]> {
	let next = 0;
	for await (const { key } of archive.list("proof/leaves/")) {
		const first = Number(FORM.exec(key)?.[1] ?? Number.NaN);
		if (Number.isNaN(first)) continue;
		if (first > next)
			throw new RestoreRefusedError(`the lines of leaves ${next} to ${first - 1} are missing from the store`);
		const lines = await readObject(archive, key);
		for (const [i, one] of lines.entries()) {
			if (!line.Check(one) || one.leafIndex !== first + i)
				throw new RestoreRefusedError(`line ${i + 1} of ${key} is not the one of leaf ${first + i}`);
		}
		// What stands twice was written again after a crash; the tables are held against both.
		for (let at = 0; at < lines.length; at += packSize) yield lines.slice(at, at + packSize);
		next = Math.max(next, first + lines.length);
	}
}

async function readObject(archive: Archive, key: string): Promise<Line[]> {
	const bytes = await archive.get(key);
	try {
		return readLines(bytes);
	} catch (error) {
		throw new RestoreRefusedError(`${key} does not hold lines of leaves`, error);
	}
}
