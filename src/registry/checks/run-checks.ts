/**
 * Runs the checks of this host: what its processes have received, and what they left when they were killed.
 *
 * Gap: where several machines share the database, the machine with the file works on a check and answers with its result.
 */

import { existsSync, linkSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { writeBillable } from "../../identity/usage";
import { createSingleFlight, withTimeout } from "../../platform/concurrency";
import { codeOf, type Sql } from "../../platform/database";
import { msg, Problem } from "../../platform/problem";
import type { Log } from "../../platform/telemetry";
import { type Clock, newId, toLocalIsoDate } from "../../platform/values";
import type { Tombstones } from "../erasure";
import { fromIsoDay } from "../history";
import type { Current } from "../runs";
import type { CheckData } from "./check.thread";
import { createCheckJobs } from "./check-jobs";
import {
	type CheckRow,
	listKept,
	releaseLeases,
	renewLeases,
	saveDone,
	saveEnded,
	saveErased,
	saveFailed,
	saveProgress,
	saveStart,
	sweepEnded,
	takeDue,
	takeResult,
} from "./checks-store";
import type { ColumnChoice, Layout } from "./list-layout";
import { ListError } from "./list-row";
import { type FormFile, filesOf, findForms, type ResultFormat } from "./result-file";

export type ChecksDeps = {
	readonly sql: Sql;
	readonly clock: Clock;
	readonly log: Log;
	readonly current: Current;
	readonly tombstones: Tombstones;
	/** Where this host's lists and results are; its processes share it. */
	readonly folder: string;
};

export type CheckRunner = {
	/** This host, as the rows name it; makes the folder. */
	readonly host: () => string;
	/** Where the files of a check are, without their endings. */
	readonly baseOf: (id: string) => string;
	/** Reads a whole list. Throws: ListError. */
	readonly scan: (subject: string, path: string, choice: ColumnChoice) => Promise<Layout>;
	/** Starts what waits at this host. Never throws. */
	readonly look: () => Promise<void>;
	/** Ends a check at this host and removes its files. */
	readonly end: (id: string) => Promise<void>;
	/** The result in a form, without erased entries. Throws: service-unavailable. */
	readonly openForm: (row: CheckRow, form: ResultFormat) => Promise<FormFile>;
	readonly close: () => Promise<void>;
};

/** The operation under which rows are counted. */
export const CREATE_CHECK = "createRegistryCheck";
const LOOK_EVERY_MS = 5_000;
const SWEEP_EVERY = 12;
/** A list that is still being received has no row yet. */
const STRAY_AFTER_MS = 600_000;
const RESULT_DAYS = 7;
const DAY_MS = 86_400_000;
/** The answer to a request must begin before its deadline. */
const FORM_WAIT_MS = 40_000;

export const expiryOf = (from: Date): Date => new Date(from.getTime() + RESULT_DAYS * DAY_MS);

export function openCheckRunner(deps: ChecksDeps): CheckRunner {
	const { sql, clock, log, current, tombstones, folder } = deps;
	let host: string | undefined;
	/** The folder is made with the first list. */
	const findHostId = (): string => {
		host ??= findHost(folder);
		return host;
	};
	const listFiles = (): string[] => (existsSync(folder) ? readdirSync(folder) : []);
	const baseOf = (id: string) => join(folder, id);
	const jobs = createCheckJobs();
	const running = new Map<string, AbortController>();
	const forms = createSingleFlight<FormFile>();
	const tasks = new Set<Promise<void>>();
	let isClosing = false;

	/** Undefined while there is none, or no history for the verdicts of a day. */
	const takeData = (asOf: string | null): CheckData | undefined => {
		const loaded = current.getHistory() ?? (asOf === null ? current.get() : undefined);
		if (!loaded) return undefined;
		const { run, snapshot, history } = loaded;
		const data = { run, path: snapshot.path, erased: tombstones.copy() };
		if (asOf === null || !history) return data;
		return { ...data, onDay: { day: fromIsoDay(asOf), historyPath: history.path } };
	};

	const check = async (row: CheckRow, layout: Layout, signal: AbortSignal): Promise<void> => {
		const { id, subject } = row;
		const data = takeData(row.asOf);
		if (!data) return;
		const base = baseOf(id);
		const { runId } = data.run;
		const { fingerprint } = data.erased;
		// A result is of one run, and of one set of erasures until the next one is removed from it.
		if (row.runId !== runId || row.clearedOf !== fingerprint) {
			await rm(filesOf(base).result, { force: true });
			await saveStart(sql, id, runId, fingerprint);
		}
		const onProgress = async ({ done, counts }: { done: number; counts: CheckRow["counts"] }) => {
			const goesOn = counts && (await saveProgress(sql, id, done, counts).catch(() => true));
			if (!goesOn) running.get(id)?.abort();
		};
		const job = { do: "check", base, layout, data } as const;
		const { done, counts, unmatched } = await jobs.run(subject, job, {
			signal,
			onProgress: (progress) => void onProgress(progress),
		});
		const finishedAt = clock.now();
		const isKept = await sql.begin(async (tx) => {
			if (!(await saveDone(tx, id, { done, counts, finishedAt, expiresAt: expiryOf(finishedAt) }))) return false;
			const { keyId, tenantId, ownerId } = row;
			// Invalid rows, and names that match nothing, are free.
			const billable = done - counts.invalid - unmatched;
			const counted = { day: toLocalIsoDate(finishedAt), keyId, tenantId, ownerId, operation: CREATE_CHECK, billable };
			await writeBillable(tx, id, counted);
			return true;
		});
		if (isKept) await rm(filesOf(base).list, { force: true });
		else await removeFiles(id);
		log.info({ event: "check.finished", checkId: id, rows: done }, "list checked");
	};

	const erase = async ({ id, subject }: CheckRow): Promise<void> => {
		const erased = tombstones.copy();
		const { counts } = await jobs.run(subject, { do: "erase", base: baseOf(id), erased });
		await saveErased(sql, id, counts, erased.fingerprint);
	};

	const removeFiles = async (id: string): Promise<void> => {
		const names = listFiles().filter((name) => name.startsWith(`${id}.`));
		await Promise.all(names.map((name) => rm(join(folder, name), { force: true })));
	};

	const expire = async (id: string): Promise<void> => {
		await removeFiles(id);
		await saveEnded(sql, id);
	};

	const work = async (row: CheckRow): Promise<void> => {
		const { id, status, layout } = row;
		const control = new AbortController();
		running.set(id, control);
		try {
			if (row.expiresAt <= clock.now() || !layout) await expire(id);
			else if (status === "running") await check(row, layout, control.signal);
			else await erase(row);
		} catch (error) {
			await noteFailure(row, error, control.signal.aborted);
		} finally {
			running.delete(id);
		}
	};

	/** What may succeed later is tried again once its lease is over. */
	const noteFailure = async ({ id }: CheckRow, error: unknown, isEnded: boolean): Promise<void> => {
		if (isClosing) return;
		if (isEnded) return removeFiles(id).catch(() => undefined);
		const isFinal = error instanceof ListError || codeOf(error) === "ENOENT" || /ENOENT/.test(String(error));
		const reason = error instanceof ListError ? error.found : String(error);
		log.warn({ event: "check.failed", checkId: id, reason, isFinal }, "list not checked");
		if (!isFinal) return;
		await saveFailed(sql, id, clock.now()).catch(() => undefined);
	};

	const looking = createSingleFlight<void>();
	const look = async (): Promise<void> => {
		if (isClosing) return;
		try {
			if (running.size > 0) await renewLeases(sql, [...running.keys()]);
			const hasFiles = listFiles().some((name) => name.endsWith(".list") || name.endsWith(".ndjson"));
			if (!current.get() || !hasFiles) return;
			for (const row of await takeDue(sql, findHostId(), tombstones.fingerprint(), clock.now())) {
				if (running.has(row.id)) continue;
				const task = work(row).finally(() => tasks.delete(task));
				tasks.add(task);
			}
		} catch (err) {
			if (!isClosing) log.warn({ event: "check.look_failed", err }, "cannot look for lists to check");
		}
	};

	/** Removes the files of what has ended elsewhere, and of uploads that were cut off. */
	const sweep = async (): Promise<void> => {
		const names = listFiles().filter((name) => name !== HOST_FILE);
		if (names.length === 0) return;
		const kept = await listKept(sql, findHostId());
		for (const name of names) {
			const path = join(folder, name);
			const [id = ""] = name.split(".");
			if (kept.has(id) || running.has(id)) continue;
			const writtenAt = statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;
			if (Date.now() - writtenAt > STRAY_AFTER_MS) await rm(path, { force: true });
		}
		const now = clock.now();
		await sweepEnded(sql, new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - 1, 1)));
	};

	let looks = 0;
	const timer = setInterval(() => {
		void looking.run("", look);
		if (++looks % SWEEP_EVERY !== 0) return;
		sweep().catch((err) => log.warn({ event: "check.sweep_failed", err }, "cannot remove files of ended checks"));
	}, LOOK_EVERY_MS);
	timer.unref();
	void looking.run("", look);

	/** Until the result holds nothing erased. Throws: service-unavailable while another process removes it. */
	const clear = async (row: CheckRow): Promise<void> => {
		if (row.clearedOf === tombstones.fingerprint()) return;
		const taken = await takeResult(sql, row.id);
		if (!taken) throw notReady();
		await erase(taken);
	};

	const makeForm = async (row: CheckRow, form: ResultFormat): Promise<FormFile> => {
		const { id, subject, layout } = row;
		const base = baseOf(id);
		if (!layout || !statSync(filesOf(base).result, { throwIfNoEntry: false })) throw isElsewhere();
		await clear(row);
		const found = findForms(base).find((one) => one.form === form);
		if (found) return found;
		return jobs.run(subject, { do: "make", base, form, layout }).catch((err) => {
			log.warn({ event: "check.form_failed", checkId: id, form, err }, "result not written in the form");
			throw notReady();
		});
	};

	return {
		host: findHostId,
		baseOf,
		scan: (subject, path, choice) => jobs.run(subject, { do: "scan", path, choice }),
		look: () => looking.run("", look),
		end: async (id) => {
			running.get(id)?.abort();
			await removeFiles(id);
		},
		openForm: (row, form) => {
			const made = forms.run(`${row.id} ${form}`, () => makeForm(row, form));
			return withTimeout(made, FORM_WAIT_MS, () => {
				throw notReady();
			});
		},
		close: async () => {
			isClosing = true;
			clearInterval(timer);
			const left = [...running.keys()];
			jobs.close();
			await Promise.allSettled(tasks);
			if (left.length > 0) await releaseLeases(sql, left).catch(() => undefined);
		},
	};
}

function notReady(): Problem {
	return new Problem("service-unavailable", {
		detail: msg`The file is being made. Ask for it again.`,
		headers: { "retry-after": "5" },
	});
}

function isElsewhere(): Problem {
	return new Problem("service-unavailable", {
		detail: msg`The file is not on the machine that answers. Ask for it again.`,
		headers: { "retry-after": "1" },
	});
}

const HOST_FILE = "host";

/** The name of the folder's host, made once. */
function findHost(folder: string): string {
	mkdirSync(folder, { recursive: true, mode: 0o700 });
	const path = join(folder, HOST_FILE);
	const own = `${path}.${process.pid}`;
	writeFileSync(own, newId(), { mode: 0o600 });
	try {
		// Whole or not at all: another process may start at the same time.
		linkSync(own, path);
	} catch (error) {
		if (codeOf(error) !== "EEXIST") throw error;
	} finally {
		rmSync(own);
	}
	return readFileSync(path, "utf8");
}
