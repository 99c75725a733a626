/** A check as its customer sees it. */
import { type Static, Type } from "@sinclair/typebox";
import { Timestamp } from "../entry";
import { noCounts } from "./check-list";
import type { CheckRow } from "./checks-store";
import type { Layout } from "./list-layout";
import { VERDICTS } from "./result-file";

const nullableText = (description: string) => Type.Union([Type.String(), Type.Null()], { description });

export const RegistryCheck = Type.Object(
	{
		check_id: Type.String(),
		status: Type.Union([Type.Literal("running"), Type.Literal("done"), Type.Literal("failed")], {
			description: "`failed` if the service lost the list; send it again.",
		}),
		rows: Type.Integer({ description: "Rows with something in them, without the header." }),
		done: Type.Integer({ description: "Rows that have their verdict." }),
		counts: Type.Object(
			Object.fromEntries(VERDICTS.map((verdict) => [verdict, Type.Integer()])) as Record<
				(typeof VERDICTS)[number],
				ReturnType<typeof Type.Integer>
			>,
			{ description: "Rows by verdict." },
		),
		format: Type.Union([Type.Literal("csv"), Type.Literal("xlsx")], { description: "As detected." }),
		encoding: nullableText("As detected: `utf-8`, `utf-16le`, `utf-16be` or `windows-1252`; null for XLSX."),
		delimiter: nullableText("As detected; null for XLSX."),
		number_column: nullableText("Header of the column with numbers; null if there is none."),
		name_column: nullableText("Header of the column with names; null if there is none."),
		as_of: nullableText("The day of the verdicts as `YYYY-MM-DD`, in UTC-4; null for the day of the check."),
		run_id: nullableText("The ingest run that all verdicts come from; null until the check begins."),
		created_at: Timestamp("When the list was received."),
		finished_at: Type.Union([Type.Null(), Timestamp("When the check ended.")], { description: "null until then." }),
		expires_at: Timestamp("When list and result are deleted: 7 days after the check."),
	},
	{ $id: "RegistryCheck" },
);
export type RegistryCheck = Static<typeof RegistryCheck>;

export const EXAMPLE: RegistryCheck = {
	...{ check_id: "0192f180-7a00-7b11-9c22-334455667788", status: "running", rows: 1_000_000, done: 205_457 },
	counts: {
		...{ found: 201_013, inactive: 3_112, name_differs: 902, ambiguous: 40 },
		...{ not_found: 77, invalid: 12, duplicate: 301 },
	},
	...{ format: "csv", encoding: "windows-1252", delimiter: ";", number_column: "RNC", name_column: "Razón social" },
	...{
		as_of: null,
		run_id: "0192ef00-5a4b-7c3d-8e2f-1a0b9c8d7e6f",
		created_at: "2026-11-20T14:00:00.000Z",
		finished_at: null,
	},
	expires_at: "2026-11-27T14:00:00.000Z",
};
export const CREATED: RegistryCheck = { ...EXAMPLE, done: 0, counts: noCounts(), run_id: null };

export function toRecord(row: Omit<CheckRow, "layout"> & { readonly layout: Layout }): RegistryCheck {
	const { layout } = row;
	const columnOf = (i: number | null) => (i === null ? null : (layout.columns[i] ?? null));
	return {
		check_id: row.id,
		status: row.status === "ended" ? "failed" : row.status,
		...{ rows: row.rows, done: row.done, counts: row.counts ?? noCounts() },
		...{ format: layout.format, encoding: layout.encoding, delimiter: layout.delimiter },
		...{ number_column: columnOf(layout.numberColumn), name_column: columnOf(layout.nameColumn) },
		as_of: row.asOf,
		run_id: row.runId,
		created_at: row.createdAt.toISOString(),
		finished_at: row.finishedAt?.toISOString() ?? null,
		expires_at: row.expiresAt.toISOString(),
	};
}
