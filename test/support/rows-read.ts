/** Counts the rows that a statement reads: a list of ten must not read thousands. */
import { expect } from "bun:test";
import type { Sql, Tx } from "../../src/platform/database";

/** The result of a transaction that may read fewer than so many rows. */
export async function readingFewerThan<T>(
	rowsMax: number,
	/** Of these tables and their partitions together. */
	tables: string | readonly string[],
	sql: Sql,
	find: (tx: Tx) => Promise<T>,
): Promise<T> {
	const count = async (tx: Tx) => {
		const [row] = await tx<{ rows: number }[]>`
			select sum(seq_tup_read + coalesce(idx_tup_fetch, 0))::int as rows from pg_stat_xact_user_tables
			where relname = any(${[tables].flat()}) or relid in (
				select inhrelid from pg_inherits where inhparent = any(${[tables].flat()}::text[]::regclass[])
			)`;
		return row?.rows ?? 0;
	};
	const { found } = await sql.begin(async (tx) => {
		const before = await count(tx);
		const found = await find(tx);
		expect((await count(tx)) - before).toBeLessThan(rowsMax);
		return { found };
	});
	return found as T;
}
