/**
 * The loop that runs the messages of a lane.
 *
 *   outbox ──read──▶ queue in memory ──a slot is free──▶ running ──settle──▶ removed, put off or dead
 *     ▲                                                    │
 *     └──────── the shard has passed to another lane ──────┘
 *
 * Model: the lane that owns a tenant's shard is the only one that runs its messages, so nothing is claimed. The dispatcher reads what has become
 * due lately, and now and then what is due of every tenant; a message that it has in memory is not taken twice. Messages start when slots are
 * free: tenants are served in turn, and none fills all slots (queue.ts, slots.ts). A wake signal (LISTEN, a hint) only shortens the time to the
 * next read.
 *
 * Trust: every write of a message carries its hold: lane, epoch and term of the shard. A stale one finds nothing and changes nothing. When a
 * message comes back while its lost attempt still runs here, the new attempt waits until the lost one has ended.
 *
 * Failures: a handler that throws causes a retry; the messages of a process that dies are read by the lanes that take its shards over; while
 * the database is away the loop waits; a read without an answer is left behind. A kind without a handler here, written by newer code, is
 * not read.
 */
import { createBatcher, createWakeSignal, withTimeout } from "../concurrency";
import { CHANNELS, type Sql } from "../database";
import { failpoint } from "../failpoints";
import { byShard, type LaneOptions, nameNode, openLane, shardOf } from "../lanes";
import type { Metrics } from "../telemetry";
import { newId } from "../values";
import type { LocalDispatch } from "./append";
import { type Attempt, BUSY_AFTER_MS, createAttempts } from "./attempts";
import { createFailureLog, type Execution, execute } from "./execute";
import { type Message, type Outcome, staysInMemory } from "./message";
import { createQueue, WAITING_MAX, type Waiting } from "./queue";
import { createSlots } from "./slots";
import { type DueRow, readLately, readOfEach, readOfTenant, type Settlement, settleMessages } from "./store";
import { createWorkLog, type LoggedDocument, type LoggedWork } from "./work-log";

/** Time between two reads without a signal, while the database sends signals and while it does not. */
const READ_EVERY_MS = { listening: 1_000, deaf: 50 };
/** Signals within this time are served by one read. */
const COALESCE_MS = 4;
/** Retries within this time are read exactly when they are due. */
const WOKEN_MAX_SECONDS = 60;
const FAILURE_PAUSE_MS = 250;
/**
 * How far a read reaches back before the one before it: a transaction that commits late has written an early time. Mostly little, now and then
 * more, and what commits later still is found with the others of its tenant.
 */
const OVERLAP_SECONDS = 0.25;
const LONG_OVERLAP = { seconds: 0.7, everyMs: 250 };
/** More has become due at once: it is read tenant by tenant. */
const LATELY_MAX = 2_000;
/** Time between two reads of every tenant's oldest messages, and how many. */
const SWEEP_EVERY_MS = 5_000;
const OF_EACH = 16;
/** Tenants whose queues are read further in one go. */
const SHORT_MAX = 8;
/** A read that takes longer is left behind. */
const READ_MAX_MS = 3_000;
/** How long a shard that is given up waits for what runs in it. */
const DRAIN_MS = 10_000;
/** How often documents of the work log are looked after. */
const TEND_EVERY_MS = 3_000;
const LOST_AWAITED_MS = 20_000;
const SETTLING = { itemsMax: 200, runsMax: 2 };

type DispatcherOptions = Execution &
	Pick<LaneOptions, "metrics" | "leaseSeconds"> & {
		readonly metrics: Pick<Metrics, "workLogAge">;
		readonly sql: Sql;
		readonly slots: number;
		/** Per kind, the number of running messages from which on no more are started. */
		readonly startedMax?: Readonly<Record<string, number>>;
		/** Those of the limited kinds of which a tenant without a running message gets one all the same. */
		readonly shared?: readonly string[];
		/** How documents of the work log are carried. Default: it is not read. */
		readonly work?: LoggedWork;
		/** False where wake signals are passed on by the process, or there are none. Default: true. */
		readonly listens?: boolean;
		/** Time between two reads without a signal. Default: 1 s, and 50 ms while it cannot listen. */
		readonly pollMaxMs?: number;
		/** Default: this process. */
		readonly node?: string;
		/** Unique within the node. Default: a new name. */
		readonly thread?: string;
		/** Whether messages of one shard alone are settled together. */
		readonly isByShard?: boolean;
		/** How long a message waits for a lost attempt that still runs here. Default: 20 s. */
		readonly lostAwaitedMs?: number;
		/** How long to wait for a read. Default: 3 s. */
		readonly readMaxMs?: number;
		readonly lane?: Pick<LaneOptions, "lookEveryMs" | "restSeconds">;
	};

export type Dispatcher = {
	/** Resolves once it has its first shards; rejects if the database refuses it. */
	readonly ready: Promise<void>;
	/** Reads now. */
	readonly wake: () => void;
	/** False when other lanes have to be woken too. */
	readonly ownsAll: () => boolean;
	/** For one transaction of a handler: what it causes in the lane's shards goes on here. */
	readonly openLocalDispatch: () => LocalDispatch;
	/** Stops starting messages, waits up to `graceMs` for running ones, then gives all shards up. */
	readonly stop: (graceMs: number) => Promise<void>;
};

/** Starts the loop; it runs until `stop`. */
export function startDispatcher(options: DispatcherOptions): Dispatcher {
	const { sql, log, leaseSeconds, metrics } = options;
	const kinds = Object.keys(options.handlers);
	const queue = createQueue();
	const slots = createSlots({
		count: options.slots,
		startedMax: options.startedMax ?? {},
		shared: options.shared ?? [],
	});
	const attempts = createAttempts({ sql, leaseSeconds, lostAwaitedMs: options.lostAwaitedMs ?? LOST_AWAITED_MS });
	const settle = createBatcher((settlements: readonly Settlement[]) => settleMessages(sql, settlements), {
		...SETTLING,
		...byShard(options.isByShard, ({ message }: Settlement) => message.tenantId),
	});
	const failures = createFailureLog(log);
	const wakeSignal = createWakeSignal();
	/** Retries of messages without rows. */
	const timers = new Set<NodeJS.Timeout>();
	let stopping = false;
	let isListening = options.listens === false;
	/** Shards whose tenants are all to be read. */
	let unswept = new Set<number>();
	let sweptAtMs = Number.NEGATIVE_INFINITY;
	let readAtMs = Number.NEGATIVE_INFINITY;
	let longReadAtMs = Number.NEGATIVE_INFINITY;

	const lane = openLane({
		...{ sql, log, metrics, leaseSeconds, node: options.node ?? nameNode(), thread: options.thread ?? newId() },
		...options.lane,
		changed: (gained) => {
			drop(queue.removeUnless((tenantId) => lane.findHold(tenantId) !== undefined));
			workLog?.forget();
			for (const shard of gained) unswept.add(shard);
			if (gained.length > 0) wakeSignal.wake();
		},
		drain: (shards) => {
			const given = new Set(shards);
			drop(queue.removeUnless((tenantId) => !given.has(shardOf(tenantId))));
			return attempts.whenEnded(({ tenantId }) => given.has(shardOf(tenantId)), DRAIN_MS);
		},
	});

	const workLog =
		options.work &&
		createWorkLog({
			...{ sql, work: options.work, findHold: lane.findHold },
			offer: (row, document, openedAtMs, isRepeat) => offer(row, openedAtMs, isRepeat, document),
		});

	function drop(documents: readonly LoggedDocument[]): void {
		for (const document of documents) workLog?.lose(document);
	}

	/** Reads what is due and returns how long the loop may rest. */
	async function fill(): Promise<number> {
		const shards = lane.listShards();
		const startedAtMs = performance.now();
		const restMs = options.pollMaxMs ?? (isListening ? READ_EVERY_MS.listening : READ_EVERY_MS.deaf);
		if (shards.length === 0) return restMs;
		if (startedAtMs - sweptAtMs > SWEEP_EVERY_MS) unswept = new Set(shards);
		if (unswept.size > 0) await sweep(shards.filter((shard) => unswept.has(shard)));
		const isLong = startedAtMs - longReadAtMs > LONG_OVERLAP.everyMs;
		const overlap = isLong ? LONG_OVERLAP.seconds : OVERLAP_SECONDS;
		const seconds = Math.min(60, (startedAtMs - readAtMs) / 1000) + overlap;
		const [lately] = await Promise.all([
			read((limits) => readLately(sql, { shards, kinds, seconds, ...limits }), LATELY_MAX),
			workLog && inTime(workLog.read(lane.listHolds(), seconds)),
		]);
		readAtMs = startedAtMs;
		if (isLong) longReadAtMs = startedAtMs;
		if (lately.length === LATELY_MAX) unswept = new Set(shards);
		const short = queue.takeShort(SHORT_MAX);
		for (const tenantId of short) await readFurther(tenantId);
		serve();
		return unswept.size > 0 || short.length === SHORT_MAX ? COALESCE_MS : restMs;
	}

	async function sweep(shards: readonly number[]): Promise<void> {
		unswept = new Set();
		sweptAtMs = performance.now();
		const rows = await read(() => readOfEach(sql, { shards, kinds, ofEach: OF_EACH }), OF_EACH);
		const counts = new Map<string, number>();
		for (const { tenantId } of rows) counts.set(tenantId, (counts.get(tenantId) ?? 0) + 1);
		for (const [tenantId, count] of counts) if (count === OF_EACH) queue.noteMore(tenantId);
	}

	/** What runs is read again too, so more is asked for than the queue takes. */
	async function readFurther(tenantId: string): Promise<void> {
		const max = WAITING_MAX + options.slots;
		const rows = await read((limits) => readOfTenant(sql, { tenantId, kinds, ...limits }), max);
		if (rows.length === max) queue.noteMore(tenantId);
	}

	/** Adds to the queue what is not known yet. */
	async function read(ask: (limits: { limit: number }) => Promise<DueRow[]>, limit: number): Promise<DueRow[]> {
		const reading = attempts.openReading();
		try {
			const rows = await inTime(ask({ limit }));
			for (const row of rows) offer(row, reading.openedAtMs, row.isMoved || row.failures > 0);
			return rows;
		} finally {
			reading.close();
		}
	}

	const inTime = <T>(reading: Promise<T>) =>
		withTimeout(reading, options.readMaxMs ?? READ_MAX_MS, () => {
			throw new Error("the database does not answer");
		});

	/** False for a message that is not taken. */
	function offer(row: DueRow, openedAtMs: number, isRepeat: boolean, document?: LoggedDocument): boolean {
		const hold = lane.findHold(row.tenantId);
		if (!hold || stopping || queue.has(row.id) || attempts.hasEndedSince(row.id, openedAtMs)) return false;
		if (attempts.isUnderWay(row.id, hold.term)) return false;
		const nowMs = performance.now();
		const isOlder = nowMs - row.ageSeconds * 1000 < hold.sinceMs;
		return queue.add({ ...row, term: hold.term, readAtMs: nowMs, isRepeat: isRepeat || isOlder, document });
	}

	function serve(): void {
		if (stopping || queue.size() === 0 || slots.free() <= 0) return;
		queue.serve({ hasRoom: slots.hasRoom, isOpen: slots.isOpen, start });
	}

	const serveSoon = once(() => {
		serve();
		if (queue.isShort()) wakeSignal.wakeIn(COALESCE_MS);
	});

	function start({ term, readAtMs: sinceMs, isMoved: _, document, ...row }: Waiting): void {
		const hold = lane.findHold(row.tenantId);
		if (!hold || hold.term !== term) {
			drop(document ? [document] : []);
			return;
		}
		const startedAtMs = performance.now();
		const ageSeconds = row.ageSeconds + (startedAtMs - sinceMs) / 1000;
		const isStored = document === undefined;
		const message = { ...row, ageSeconds, isStored, hold, leaseLeftMs: () => lane.leaseLeftMs(hold) };
		slots.take(row);
		const attempt: Attempt = {
			...{ message, document, startedAtMs, markedAtMs: startedAtMs, lostAtMs: undefined },
			work: Promise.resolve(),
		};
		attempts.add(attempt);
		attempt.work = execute(options, settle, message, failures).then(({ outcome, settled }) => {
			attempts.end(attempt);
			slots.giveBack(row);
			if (settled === "refused") lane.lookNow();
			serveSoon();
			const isPutOff = outcome.kind === "retry" || outcome.kind === "snooze";
			const isKept = isPutOff && staysInMemory(message, outcome);
			if (document && settled !== "written") drop([document]);
			else if (document && isKept) repeatLater(message, startedAtMs, outcome, document);
			else if (document) workLog?.end(document, message.kind, isPutOff);
			// The time of this retry is known without reading.
			if (isPutOff && !isKept) wakeLater(outcome.afterSeconds);
		});
	}

	function repeatLater(
		message: Message,
		startedAtMs: number,
		outcome: Extract<Outcome, { kind: "retry" | "snooze" }>,
		document: LoggedDocument,
	): void {
		const { id, kind, tenantId, subject, payload } = message;
		const timer = setTimeout(() => {
			timers.delete(timer);
			const nowMs = performance.now();
			const ageSeconds = message.ageSeconds + (nowMs - startedAtMs) / 1000;
			const failures = message.failures + Number(outcome.kind === "retry");
			const row = { id, kind, tenantId, subject, payload, ageSeconds, failures, isMoved: true };
			if (offer(row, nowMs, true, document)) serve();
			else drop([document]);
		}, outcome.afterSeconds * 1000);
		timers.add(timer);
	}

	/** A later retry is read up to a second late. */
	function wakeLater(seconds: number): void {
		if (seconds < WOKEN_MAX_SECONDS) wakeSignal.wakeIn(seconds * 1000 + 1);
	}

	function openLocalDispatch(): LocalDispatch {
		const opened = attempts.openReading();
		let noted: DueRow[] = [];
		let taken: { readonly row: DueRow; readonly document: LoggedDocument }[] = [];
		let isLeft = false;
		return {
			take(message) {
				const one = kinds.includes(message.kind) ? workLog?.take(message) : undefined;
				if (one) taken.push(one);
				return one !== undefined;
			},
			note(id, { kind, tenantId, subject, payload = {}, availableInSeconds = 0 }) {
				if (!lane.findHold(tenantId) || !kinds.includes(kind)) isLeft = true;
				else if (availableInSeconds > 0) wakeLater(availableInSeconds);
				else noted.push({ id, kind, tenantId, subject, payload, failures: 0, ageSeconds: 0, isMoved: false });
			},
			hasLeft: () => isLeft,
			start() {
				for (const row of noted) offer(row, opened.openedAtMs, false);
				for (const { row, document } of taken) if (!offer(row, opened.openedAtMs, false, document)) drop([document]);
				taken = [];
				opened.close();
				serve();
			},
			drop() {
				noted = [];
				drop(taken.map(({ document }) => document));
				taken = [];
				opened.close();
			},
		};
	}

	async function loop(): Promise<void> {
		while (!stopping) {
			let pauseMs: number;
			try {
				pauseMs = await fill();
			} catch (error) {
				log.warn({ event: "outbox.read_failed", err: error }, "cannot read outbox messages; retrying");
				pauseMs = FAILURE_PAUSE_MS;
			}
			if (stopping) return;
			await Bun.sleep(COALESCE_MS);
			await wakeSignal.wait(pauseMs);
		}
	}

	async function tend(): Promise<void> {
		metrics.workLogAge.set(workLog?.oldestSeconds() ?? 0);
		await workLog?.tend(lane.listHolds()).catch((error: unknown) => {
			log.warn({ event: "work-log.tend_failed", err: error }, "cannot look after the work log; trying again");
		});
	}

	const marking = setInterval(attempts.markBusy, BUSY_AFTER_MS);
	const tending = setInterval(tend, TEND_EVERY_MS);
	const listening = options.listens === false ? undefined : listen();
	async function listen() {
		try {
			const listener = await sql.listen(CHANNELS.outbox, wakeSignal.wake);
			isListening = true;
			return listener;
		} catch (err) {
			log.warn({ event: "outbox.listen_failed", err }, "cannot listen for wake signals; polling only");
			return undefined;
		}
	}
	const looping = loop();

	return {
		ready: lane.ready,
		openLocalDispatch,
		wake: wakeSignal.wake,
		ownsAll: lane.ownsAll,
		async stop(graceMs) {
			stopping = true;
			wakeSignal.wake();
			await looping;
			await lane.leave(new Set(attempts.listMessages().map(({ tenantId }) => shardOf(tenantId))));
			await attempts.whenEnded(() => true, graceMs);
			failpoint("drain-messages");
			clearInterval(marking);
			clearInterval(tending);
			for (const timer of timers) clearTimeout(timer);
			wakeSignal.clear();
			// Not awaited: on a dead connection it would delay the release of the shards.
			void listening?.then((listener) => listener?.unlisten()).catch(() => undefined);
			failures.finish();
			await lane.stop();
		},
	};
}

/** Runs the work once after all calls of a turn. */
function once(work: () => void): () => void {
	let isScheduled = false;
	return () => {
		if (isScheduled) return;
		isScheduled = true;
		setImmediate(() => {
			isScheduled = false;
			work();
		});
	};
}
