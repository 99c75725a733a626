/**
 * What an earlier holder of a document's message has written of the same decision, dying before its row.
 *
 *   first holder   seals ──▶ writes ──▶ dies
 *   authority                                answers once more
 *   next holder                                                  seals, and would write another object beside the first
 *
 * The first is taken then, if it says nothing else than the one that would be written: the same document, request, verdict and dates, and of answers and
 * events a beginning. Whoever may write to the store and nothing else has no say in what is archived: any other object stays strange.
 */
import { createHash } from "node:crypto";
import type { Archive } from "./archive";
import { type Manifest, openSealed, readManifest, SealedObjectError } from "./seal";

/** No sealed document is so large; what is, is not read. */
const BYTES_MAX = 64 * 1024 * 1024;
const EVENTS = "events.json";

/** The name of a sealed document below its place. Its digest is part of it: whatever is sealed anew, there is never a conflict. */
export function nameSealed(place: string, sealed: Uint8Array): string {
	return `${place}${createHash("sha256").update(sealed).digest("hex").slice(0, 16)}.zip`;
}

/** Undefined where there is none. */
export async function findEarlierSealing(
	archive: Pick<Archive, "list" | "get">,
	place: string,
	now: Uint8Array,
): Promise<{ readonly objectKey: string; readonly sealed: Uint8Array } | undefined> {
	for await (const { key: objectKey, bytes } of archive.list(place)) {
		if (bytes > BYTES_MAX) continue;
		const sealed = await archive.get(objectKey);
		if (objectKey === nameSealed(place, sealed) && isEarlier(sealed, now)) return { objectKey, sealed };
	}
	return undefined;
}

/** False for one that is damaged, too, which the archive's verification tells. */
export function isEarlier(sealed: Uint8Array, now: Uint8Array): boolean {
	try {
		const [before, wanted] = [readManifest(sealed), readManifest(now)];
		const isSame = JSON.stringify(withoutGrowing(before)) === JSON.stringify(withoutGrowing(wanted));
		return isSame && beginsWith(told(now, wanted), told(sealed, before));
	} catch (error) {
		if (error instanceof SealedObjectError) return false;
		throw error;
	}
}

/** All but what may grow after the decision. Members of a manifest have one order. */
function withoutGrowing({ answers, sha256, ...rest }: Manifest) {
	const growing = new Set([EVENTS, ...answers.map(({ entry }) => entry)]);
	return [rest, Object.entries(sha256).filter(([name]) => !growing.has(name))];
}

/** Answers with what they say, then events: each list may be a beginning of a longer one. */
function told(sealed: Uint8Array, { answers, sha256 }: Manifest): string[][] {
	const events = JSON.parse(Buffer.from(openSealed(sealed)[EVENTS] ?? "").toString()) as readonly unknown[];
	return [
		answers.map((answer) => JSON.stringify([answer, sha256[answer.entry]])),
		events.map((event) => JSON.stringify(event)),
	];
}

function beginsWith(whole: readonly string[][], begin: readonly string[][]): boolean {
	return begin.every((list, i) => list.every((one, n) => one === whole[i]?.[n]));
}
