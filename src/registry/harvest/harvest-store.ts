/** All SQL of the entries that callers were shown. */
import type { Sql } from "../../platform/database";

/** Merges registers into those of a day by the maximum of each; returns the merged ones by subject. Rows are locked in a fixed order. */
export function mergeHarvests(
	sql: Sql,
	day: string,
	counted: ReadonlyMap<string, Uint8Array>,
): Promise<Map<string, Uint8Array>> {
	const subjects = [...counted.keys()].sort();
	const toHex = (registers: Uint8Array | undefined) => Buffer.from(registers ?? []).toString("hex");
	return sql.begin(async (tx) => {
		await tx`
			insert into registry_harvests (day, subject, registers)
			select ${day}::date, t.subject, decode(t.registers, 'hex')
			from unnest(${subjects}::text[], ${subjects.map((subject) => toHex(counted.get(subject)))}::text[]) as t(subject, registers)
			order by t.subject
			on conflict do nothing`;
		const rows = await tx<{ subject: string; registers: Uint8Array }[]>`
			select subject, registers from registry_harvests where day = ${day}::date and subject = any(${subjects}) order by subject for update`;
		const merged = new Map<string, Uint8Array>();
		for (const { subject, registers } of rows) {
			const ours = counted.get(subject);
			merged.set(
				subject,
				registers.map((rank, place) => Math.max(rank, ours?.[place] ?? 0)),
			);
		}
		const raised = rows.filter(({ subject, registers }) => Buffer.compare(registers, merged.get(subject) ?? registers));
		await tx`
			update registry_harvests h set registers = decode(t.registers, 'hex')
			from unnest(
				${raised.map(({ subject }) => subject)}::text[], ${raised.map(({ subject }) => toHex(merged.get(subject)))}::text[]
			) as t(subject, registers)
			where h.day = ${day}::date and h.subject = t.subject`;
		return merged;
	});
}

export async function deleteHarvestsBefore(sql: Sql, day: string): Promise<void> {
	await sql`delete from registry_harvests where day < ${day}::date`;
}
