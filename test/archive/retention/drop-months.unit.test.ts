/** Months whose retention is over leave the database; what is kept for longer, and every proof, stays. */
import { expect, test } from "bun:test";
import { createArchiveEraser, insertArchiveObjects, sweepArchive, verifyArchive } from "../../../src/archive";
import { findChainPlace } from "../../../src/archive/checkpoints";
import { dropOldMonths } from "../../../src/archive/retention";
import { createLog } from "../../../src/platform/telemetry";
import { firstIdAt, newId, systemClock } from "../../../src/platform/values";
import { rewrite } from "../../support/documents";
import { makeSealed, type Scene, signCheckpoint, withArchive } from "../../support/sealed-documents";
import { addCompany, addInvoice, decide } from "../../support/submission";

const log = createLog("silent", "test");
const now = new Date();
/** A month of eleven years ago. */
const month = new Date(Date.UTC(now.getUTCFullYear() - 11, now.getUTCMonth()));

async function addPartitions({ owner }: Scene): Promise<void> {
	const next = new Date(Date.UTC(month.getUTCFullYear(), month.getUTCMonth() + 1));
	const name = month.toISOString().slice(0, 7).replace("-", "_");
	for (const table of ["documents", "verdicts", "seals"])
		await owner.unsafe(
			`create table ${table}_${name} partition of ${table} for values from ('${firstIdAt(month)}') to ('${firstIdAt(next)}')`,
		);
}

/** Seals decided documents from a time on, a minute apart; returns their ids. */
async function addSealed({ sql, archive }: Scene, tenantId: string, from: Date, count: number): Promise<string[]> {
	const made = Array.from({ length: count }, (_, n) => {
		const decidedAt = new Date(from.getTime() + n * 60_000);
		return makeSealed({ tenantId, docId: newId(decidedAt), decidedAt });
	});
	for (const [n, { object, sealed }] of made.entries()) {
		const { docId } = object;
		await addInvoice(sql, tenantId, { docId, clientRequestId: `${from.getUTCFullYear()}-${n}` });
		await archive.putOnce(object.objectKey, sealed, { retainUntil: object.retainUntil });
	}
	const objects = made.map(({ object }) => object);
	await decide(sql, objects);
	await insertArchiveObjects(sql, objects);
	return objects.map(({ docId }) => docId);
}

const sweep = async ({ sql, folder }: Scene) => {
	await sql`select note_clock(now(), now() - interval '30 days')`;
	const { failed, doubt } = await sweepArchive({ sql, archive: createArchiveEraser(folder), clock: systemClock, log });
	expect({ failed, doubt }).toEqual({ failed: 0, doubt: undefined });
	return dropOldMonths({ sql, log });
};
const faultsOf = async (scene: Scene) => (await verifyArchive(scene)).faults;
const listDocuments = async ({ sql }: Scene, tenantId: string) =>
	(await sql`select doc_id as id from documents where tenant_id = ${tenantId} order by 1`).map(({ id }) => String(id));
const listSealed = async ({ sql }: Scene, tenantId: string) =>
	(await sql`select doc_id as id from seals where tenant_id = ${tenantId} order by 1`).map(({ id }) => String(id));

test(
	"a month is dropped; what is kept for longer, and every proof, stays",
	() =>
		withArchive(async (scene) => {
			const { sql } = scene;
			await sql`insert into deployment (environment) values ('sandbox')`;
			await addPartitions(scene);
			const [one, other] = [await addCompany(sql), await addCompany(sql)];
			const old = await addSealed(scene, one, new Date(month.getTime() + 86_400_000), 20);
			await addSealed(scene, other, new Date(month.getTime() + 86_400_000), 3);
			const open = newId(new Date(month.getTime() + 3_600_000));
			await addInvoice(sql, one, { docId: open });
			const young = await addSealed(scene, one, now, 2);
			const extended = old[7] ?? "";
			await sql`select extend_seals(${one}, array[${extended}]::uuid[], array[1], '2099-01-01')`;
			const name = month.toISOString().slice(0, 10);
			// No checkpoint covers them.
			expect(await dropOldMonths({ sql, log })).toEqual([]);
			await signCheckpoint(scene);
			expect(await dropOldMonths({ sql, log })).toEqual([]);
			expect(await faultsOf(scene)).toEqual([]);

			expect(await sweep(scene)).toEqual([name]);
			expect(await listDocuments(scene, one)).toEqual([open, extended, ...young]);
			expect(await listDocuments(scene, other)).toEqual([]);
			// The extended document, and the links before it and before the first young one.
			expect(await listSealed(scene, one)).toEqual([old[6] ?? "", extended, old[19] ?? "", ...young]);
			expect(await listSealed(scene, other)).toHaveLength(1);
			expect((await findChainPlace(sql, one, 20))?.previous).toMatch(/^[0-9a-f]{64}$/);
			const removed = await sql`select tenant_id, month::text, seals from archive_removals order by seals`;
			expect(removed).toEqual([
				{ tenant_id: other, month: name, seals: 2 },
				{ tenant_id: one, month: name, seals: 17 },
			] as never);
			const kept =
				await sql`select kind, count(*)::int from names where tenant_id = ${one} group by kind order by kind`;
			expect(kept).toEqual([
				{ kind: "i", count: 3 },
				{ kind: "t", count: 23 },
			] as never);
			expect(await faultsOf(scene)).toEqual([]);
			await addSealed(scene, other, now, 1);
			await signCheckpoint(scene);
			expect(await faultsOf(scene)).toEqual([]);

			// The longer retention ends.
			await rewrite(
				scene.owner,
				(tx) => tx`update seals set retain_until = now() - interval '1 day' where doc_id = ${extended}`,
			);
			expect(await sweep(scene)).toEqual([]);
			expect(await listDocuments(scene, one)).toEqual([open, ...young]);
			expect(await listSealed(scene, one)).toEqual([old[19] ?? "", ...young]);
			expect(await faultsOf(scene)).toEqual([]);
		}),
	60_000,
);

test(
	"a seal that was dropped without a record is missed",
	() =>
		withArchive(async (scene) => {
			const tenantId = await addCompany(scene.sql);
			const [first] = await addSealed(scene, tenantId, now, 3);
			await signCheckpoint(scene);
			await rewrite(scene.owner, (tx) => tx`delete from seals where doc_id = ${first ?? ""}`);
			expect((await faultsOf(scene)).map(({ fault }) => fault)).toContain("gap");
		}),
	60_000,
);

test(
	"a month is not dropped by hand before its time, nor a seal",
	() =>
		withArchive(async (scene) => {
			const { sql, owner } = scene;
			await addSealed(scene, await addCompany(sql), now, 1);
			const early = sql`select drop_month(date_trunc('month', now())::date)`;
			await expect(early.execute()).rejects.toThrow("younger than ten years");
			for (const table of ["seals", "documents", "verdicts"]) {
				const attempt = owner.begin(async (tx) => {
					await tx`set local sello.swept_rows = 'on'`;
					await tx`delete from ${tx(table)}`;
				});
				await expect(attempt).rejects.toThrow("is not allowed");
			}
		}),
	60_000,
);
