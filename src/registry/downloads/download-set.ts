/**
 * The folder of the files for download, beside a host's snapshots; its processes share them.
 *
 *   downloads/NAME/           a complete set, see `nameOf`
 *   downloads/NAME/set.json   the list of its files
 *   downloads/NAME.tmp/       a set being made; its existence keeps other processes from making it too
 *
 * A set belongs to a run, a set of erasures and a day. After an erasure no other set is served, and the sets of other erasures are removed.
 */
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { rename, rm } from "node:fs/promises";
import { join } from "node:path";

export const DOWNLOAD_KINDS = ["numbers", "numbers-delta", "delta", "taxpayers"] as const;

export type DownloadFile = {
	readonly name: string;
	readonly kind: (typeof DOWNLOAD_KINDS)[number];
	readonly bytes: number;
	/** In hex. */
	readonly sha256: string;
	/** Only of deltas. */
	readonly between?: DeltaRuns;
};

export type DeltaRuns = {
	readonly fromRunId: string;
	/** When that run was taken into use. RFC 3339. */
	readonly fromAt: string;
	readonly toRunId: string;
};

export type DownloadSet = {
	readonly runId: string;
	readonly persons: boolean;
	/** RFC 3339. */
	readonly validUntil: string;
	readonly files: readonly DownloadFile[];
};

/** What identifies a set. */
export type SetId = {
	readonly runId: string;
	/** Of the tombstones. */
	readonly fingerprint: string;
	/** The day on which the source was last confirmed, YYYY-MM-DD in UTC. */
	readonly day: string;
	readonly persons: boolean;
};

const LIST = "set.json";
const TEMPORARY = ".tmp";
/** A set takes seconds, so this one was left by a process that ended. */
const ABANDONED_AFTER_MS = 300_000;

const variantOf = (persons: boolean) => (persons ? "all" : "companies");
const nameOf = ({ runId, fingerprint, day, persons }: SetId) => `${runId}_${fingerprint}_${day}_${variantOf(persons)}`;

export type DownloadFolder = {
	/** A complete set and where its files are. */
	readonly find: (id: SetId) => OpenSet | undefined;
	/** A complete set with these erasures, of any run and day. */
	readonly findAny: (id: Pick<SetId, "fingerprint" | "persons">) => OpenSet | undefined;
	/** Starts a set; undefined while another process makes it. */
	readonly begin: (id: SetId) => string | undefined;
	/** Gives a started set its name, and removes the sets that it replaces. */
	readonly publish: (id: SetId) => Promise<void>;
	readonly abandon: (id: SetId) => Promise<void>;
	/** Whether this host has made such a set before. */
	readonly isWanted: (persons: boolean) => boolean;
	/** Removes the sets of other erasures. */
	readonly removeOthers: (fingerprint: string) => Promise<void>;
	/** Whether every set belongs to these erasures. */
	readonly isCleared: (fingerprint: string) => boolean;
};

export type OpenSet = DownloadSet & { readonly folder: string };

export function openDownloadFolder(directory: string): DownloadFolder {
	const path = join(directory, "downloads");
	const list = () => listNames(path).filter((name) => !name.endsWith(TEMPORARY));
	const open = (name: string): OpenSet | undefined => {
		const folder = join(path, name);
		try {
			return { ...(JSON.parse(readFileSync(join(folder, LIST), "utf8")) as DownloadSet), folder };
		} catch {
			// Not made yet, or removed by another process.
			return undefined;
		}
	};
	const temporaryOf = (id: SetId) => join(path, nameOf(id) + TEMPORARY);
	const ofVariant = (persons: boolean) => list().filter((name) => name.endsWith(`_${variantOf(persons)}`));
	const isOf = (name: string, fingerprint: string) => name.includes(`_${fingerprint}_`);
	const remove = (names: readonly string[]) =>
		Promise.all(names.map((name) => rm(join(path, name), { recursive: true, force: true })));
	return {
		find: (id) => open(nameOf(id)),
		findAny: ({ fingerprint, persons }) => {
			const name = ofVariant(persons).findLast((one) => isOf(one, fingerprint));
			return name === undefined ? undefined : open(name);
		},
		begin: (id) => {
			const folder = temporaryOf(id);
			mkdirSync(path, { recursive: true, mode: 0o700 });
			if (Date.now() - (statSync(folder, { throwIfNoEntry: false })?.mtimeMs ?? Date.now()) > ABANDONED_AFTER_MS)
				rmSync(folder, { recursive: true, force: true });
			try {
				mkdirSync(folder, { mode: 0o700 });
				return folder;
			} catch (error) {
				if ((error as NodeJS.ErrnoException).code === "EEXIST") return undefined;
				throw error;
			}
		},
		publish: async (id) => {
			await rename(temporaryOf(id), join(path, nameOf(id)));
			await remove(ofVariant(id.persons).filter((name) => name !== nameOf(id)));
		},
		abandon: (id) => rm(temporaryOf(id), { recursive: true, force: true }),
		isWanted: (persons) => ofVariant(persons).length > 0,
		removeOthers: async (fingerprint) => {
			await remove(list().filter((name) => !isOf(name, fingerprint)));
		},
		isCleared: (fingerprint) => listNames(path).every((name) => isOf(name, fingerprint)),
	};
}

function listNames(path: string): string[] {
	try {
		return readdirSync(path).sort();
	} catch (error) {
		// Nothing was ever downloaded from this host.
		if ((error as NodeJS.ErrnoException).code === "ENOENT") return [];
		throw error;
	}
}

/** Writes the list of a set, which completes it. */
export function writeSet(folder: string, set: DownloadSet): DownloadSet {
	writeFileSync(join(folder, LIST), JSON.stringify(set), { mode: 0o600 });
	return set;
}
