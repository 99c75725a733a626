/** A set of files for download whose runs changed as much as the country's on a day, and the till's file. */
import { mkdirSync, readFileSync } from "node:fs";
import { openNumbers } from "../data/registry/numbers.js";
import type { ChangeSetText } from "../src/registry/changes";
import { makeDownloads } from "../src/registry/downloads";
import { digitsOf, openSnapshot, type Snapshot } from "../src/registry/index/index";
import { makeRandom } from "./registry-queries";

const ADDED = 312;
const CHANGED = 1_840;
const REMOVED = 27;
const DAY_MS = 86_400_000;

/** Makes a set in a folder that must not exist. */
export async function makeSet(path: string, folder: string, runs: number): Promise<void> {
	mkdirSync(folder);
	const sets = toSets(openSnapshot(path), runs);
	await makeDownloads({
		...{ do: "downloads", path, folder, persons: true, isSearched: true, sets },
		...{ runId: sets.at(-1)?.runId ?? "run", validUntil: 0, erasedNumbers: [] },
		erased: { pepper: new Uint8Array(32), digests: [], fingerprint: "" },
	});
}

function toSets(snapshot: Snapshot, runs: number): ChangeSetText[] {
	const random = makeRandom(3);
	const anyOf = (count: number, letter: string) =>
		Array.from({ length: count }, () => letter + digitsOf(snapshot.keys[random(snapshot.entryCount)] ?? 0));
	const gone = () => Array.from({ length: REMOVED }, () => `r9${String(random(1e8)).padStart(8, "0")}`);
	// A smoke run has few entries, and a delta of more than half of them is not made.
	const share = Math.min(1, snapshot.entryCount / 200_000);
	return Array.from({ length: runs }, (_, run) => ({
		runId: `0192ef00-5a4b-7c3d-8e2f-${String(run).padStart(12, "0")}`,
		ordinal: run + 1,
		at: new Date(run * DAY_MS),
		changes: [...anyOf(ADDED * share, "a"), ...anyOf(CHANGED * share, "c"), ...gone()].join(","),
	}));
}

export async function openTill(path: string): Promise<(digits: string) => string | undefined> {
	return (await openNumbers(Uint8Array.from(readFileSync(path)).buffer)).find;
}
