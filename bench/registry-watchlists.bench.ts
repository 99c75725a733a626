/**
 * How soon after a run do the events of watchlists go out?
 *
 * 400 companies have a full list each, which holds about every 7.6th of 760,000 numbers, and a receiver of its own. A run of 2,182 changes then
 * causes about 115,000 events. The first delivery and the last queued event count from the run's commit. All events are counted afterwards;
 * another number than expected ends the bench.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { createWake } from "../src/platform/outbox";
import { newId } from "../src/platform/values";
import { recordChanges } from "../src/registry/changes";
import { keyOf } from "../src/registry/index/index";
import { insertRun, type RunRow } from "../src/registry/runs";
import { packWatched, queueJoin } from "../src/registry/watchlists";
import { type BenchOptions, type Figure, newRounds, toFigure } from "./bench";
import { startChild } from "./child";
import { openDatabase } from "./fill-invoices";
import { makeRandom } from "./registry-queries";
import { startService } from "./service";
import { addTenant, withdrawAll } from "./webhook-events";
import type { ReceiversAnswer, ReceiversQuestion } from "./webhook-receivers.process";

export const question = "How soon after a run are 400 full watchlists joined and the first event delivered?";
export const peer = "none; the figures have ceilings";

const FULL = { lists: 400, numbers: 760_000, changes: 2_182, rounds: 3 };
const SMOKE: typeof FULL = { lists: 4, numbers: 7_600, changes: 100, rounds: 1 };
const HEAR_TIMEOUT_MS = 180_000;
const LOOK_EVERY_MS = 20;

const digitsAt = (i: number) => String(100_000_000 + 977 * i);

/** Ten numbers of 76, others for each list; computed, because all lists together would take a gigabyte. */
const isListed = (list: number, i: number) =>
	((Math.imul(i, 0x9e3779b1) ^ Math.imul(list + 1, 0x85ebca6b)) >>> 0) % 76 < 10;

export async function run({ smoke }: BenchOptions): Promise<Figure[]> {
	const { lists, numbers, changes, rounds } = smoke ? SMOKE : FULL;
	await using stack = new AsyncDisposableStack();
	const receivers = startChild<ReceiversQuestion, ReceiversAnswer>(stack, "webhook-receivers.process.ts");
	const listening = await receivers.ask({ kind: "listen", manners: Array.from({ length: lists }, () => "accepts") });
	if (listening.kind !== "listening") throw new Error("the receivers answered another question");
	const service = await startService(stack, { ROLE: "worker", WEBHOOK_ALLOW: listening.hosts.join(",") });
	const sql = openDatabase(stack, service);
	const random = makeRandom(11);
	const secrets: Record<string, string> = {};
	for (const [list, host] of listening.hosts.entries()) {
		const [place] = await addTenant(sql, service, [`http://${host}/hooks`], ["registry.*"]);
		if (!place) throw new Error("a company has no endpoint");
		secrets[host] = place.secret;
		const places = Array.from({ length: numbers }, (_, i) => i).filter((i) => isListed(list, i));
		const packed = packWatched(places.map((i) => ({ key: keyOf(digitsAt(i)), reference: "" })));
		const ownerId = newId();
		await sql`insert into owners (id, label, created_at) values (${ownerId}, 'Cliente', now())`;
		await sql`
			insert into watchlists (id, owner_id, tenant_id, name, fields, numbers, number_count, joined_ordinal)
			values (${newId()}, ${ownerId}, ${place.tenantId}, 'Proveedores', '{status}', ${packed.numbers}, ${packed.count}, 0)`;
	}
	await receivers.ask({ kind: "expect", secrets });
	const noted = newRounds("first", "queued");
	for (let round = 0; round < rounds; round++) {
		await receivers.ask({ kind: "forget" });
		await sql`truncate deliveries, outbox`;
		const countEvents = async () =>
			(await sql<{ count: number }[]>`select count(*)::int as count from events`)[0]?.count ?? 0;
		const before = await countEvents();
		const changed = new Set<number>();
		while (changed.size < changes) changed.add(random(numbers));
		await commitRun(
			sql,
			[...changed].sort((a, b) => a - b),
		);
		const committedAt = performance.now();
		createWake(sql)();
		const heard = receivers.ask({ kind: "hear", count: 1, timeoutMs: HEAR_TIMEOUT_MS }).then(() => performance.now());
		const isBehind = async () => {
			const rows = await sql`
				select 1 from watchlists where joined_ordinal < (select max(ordinal) from registry_change_sets) limit 1`;
			return rows.length > 0;
		};
		while (await isBehind()) await sleep(LOOK_EVERY_MS);
		noted.queued.push((performance.now() - committedAt) / 1_000);
		noted.first.push(((await heard) - committedAt) / 1_000);
		let expected = 0;
		for (let list = 0; list < lists; list++) for (const i of changed) if (isListed(list, i)) expected++;
		const count = (await countEvents()) - before;
		if (count !== expected) throw new Error(`${count} events were written, not ${expected}`);
		await withdrawAll(sql);
	}
	return [
		toFigure("commit to first delivery", "s", noted.first, { target: "≤ 10 s" }),
		toFigure("commit to all events queued", "s", noted.queued, { target: "≤ 60 s" }),
	];
}

/** As an ingest does: a run, its changes and the order to join them. */
async function commitRun(sql: ReturnType<typeof openDatabase>, places: readonly number[]): Promise<void> {
	const at = new Date();
	const run: RunRow = {
		...{
			runId: newId(),
			attemptedAt: at,
			result: "ok",
			reason: null,
			source: "bench",
			sourceEtag: null,
			sourceSha256: null,
		},
		...{
			recordCount: 0,
			added: 0,
			changed: places.length,
			removed: 0,
			refused: 0,
			suppressed: 0,
			healed: 0,
			guessed: 0,
		},
		...{ columnsIgnored: [], fieldsKept: [], fieldsFromRun: null, durationMs: 1, finishedAt: at, confirmedAt: at },
	};
	const fields = [{ field: "status", was: "ACTIVO", is: "SUSPENDIDO" }];
	const changes = places.map((i) => ({ kind: "changed" as const, document: digitsAt(i), fields }));
	await sql.begin(async (tx) => {
		await insertRun(tx, run);
		await recordChanges(tx, run, changes, {
			digestOf: (digits) => Buffer.from(digits.padStart(32, "0")),
			blockErasures: async () => [],
		});
		await queueJoin(tx, run.runId);
	});
}
