/**
 * Tables whose rows are written once: the service's role reads them and adds to them, and may nothing else there. Triggers on them say the
 * same to everybody. A table that such a trigger stands on and that is not listed here fails a test.
 */
export const WRITTEN_ONCE: readonly string[] = [
	"archive_objects",
	"archive_leaves",
	"archive_nodes",
	"archive_log",
	"archive_keys",
	"archive_checkpoints",
	"archive_removals",
	"signed_documents",
	"authority_answers",
	"sequence_void_answers",
	"buyer_acknowledgements",
	"received_documents",
	"approvals",
	"approval_documents",
	"approval_answers",
	"audit",
];

/** Tables whose rows the service adds, and only the tables' owner may change. */
const OWNERS: readonly string[] = ["deployment"];

/** Tables that only migrations write. */
const READ_ONLY: readonly string[] = ["schema_migrations"];

/** All that can be granted on a table in every version of PostgreSQL. */
export const TABLE_RIGHTS = ["SELECT", "INSERT", "UPDATE", "DELETE", "TRUNCATE", "REFERENCES", "TRIGGER"] as const;
export type TableRight = (typeof TABLE_RIGHTS)[number];

/** What the service may do with a table; all else is too much. */
export function rightsOn(table: string): readonly TableRight[] {
	if (READ_ONLY.includes(table)) return ["SELECT"];
	if (WRITTEN_ONCE.includes(table) || OWNERS.includes(table)) return ["SELECT", "INSERT"];
	return ["SELECT", "INSERT", "UPDATE", "DELETE"];
}
