/**
 * Derives from the database's catalogue which rows belong to a tenant, and in which order to delete them.
 *
 *     companies ◀── invoices ◀── signed_documents          foreign keys: the referring rows are deleted first
 *     tenant_id     tenant_id    (doc_id) → invoices       a tenant column, or a reference to rows of a table that has one
 *
 * A table of a later migration is included through its `tenant_id` or its foreign key. Some tables name the tenant differently. The archive's
 * rows are kept: they contain digests, from which the roots of other tenants' proofs are computed. `forget_seals` empties the rest of them.
 */

export type Catalogue = {
	readonly columns: readonly { readonly table: string; readonly column: string; readonly type: string }[];
	readonly references: readonly Reference[];
};

export type Reference = {
	readonly table: string;
	readonly columns: readonly string[];
	readonly parent: string;
	readonly parentColumns: readonly string[];
};

/** Rows of a table: those with a value in the column, and those that refer to selected rows. */
export type Rows = {
	readonly table: string;
	/** Restricted to the wiped tenant, where each row names one. */
	readonly hasTenant: boolean;
	readonly column?: { readonly name: string; readonly type: string };
	readonly references: readonly (Pick<Reference, "columns" | "parentColumns"> & { readonly rows: Rows })[];
};

const TENANT_COLUMN = "tenant_id";
const OTHER_TENANT_COLUMNS: Readonly<Record<string, string>> = {
	idempotency_keys: "scope_id",
	call_counts: "subject_id",
	rate_buckets: "subject",
};
/** Where a document's id is not called `doc_id`. */
const OTHER_DOCUMENT_COLUMNS: Readonly<Record<string, string>> = {
	audit: "subject",
	outbox: "subject",
	received_documents: "id",
	test_sets: "id",
};
/** Digests that other tenants' proofs need. */
const KEPT = ["seals", "seal_chains"];
/** Deleted last: database rules look up a row's environment there. */
const LAST = "companies";

export function tenantColumnOf({ columns }: Catalogue, table: string): string | undefined {
	if (KEPT.includes(table)) return undefined;
	const own = OTHER_TENANT_COLUMNS[table] ?? TENANT_COLUMN;
	return columns.some((one) => one.table === table && one.column === own) ? own : undefined;
}

/** Rows that belong to a tenant, in deletion order. */
export function planWipe(catalogue: Catalogue): Rows[] {
	return plan(catalogue, (table) => tenantColumnOf(catalogue, table));
}

/**
 * The same for documents: rows with a `doc_id` and what refers to them, outbox messages about the document, and its audit entries. A test set
 * is selected by its own id and deleted with its documents.
 */
export function planDocumentWipe(catalogue: Catalogue): Rows[] {
	const has = (table: string, column: string) =>
		catalogue.columns.some((one) => one.table === table && one.column === column);
	return plan(catalogue, (table) => {
		if (tenantColumnOf(catalogue, table) === undefined) return undefined;
		if (has(table, "doc_id")) return "doc_id";
		return OTHER_DOCUMENT_COLUMNS[table];
	});
}

type ColumnOf = (table: string) => string | undefined;

function plan(catalogue: Catalogue, columnOf: ColumnOf): Rows[] {
	const found = new Map<string, Rows>();
	for (const table of order(catalogue, collect(catalogue, columnOf)).reverse()) {
		found.set(table, describeRows(catalogue, table, columnOf(table), found));
	}
	return [...found.values()].reverse();
}

function collect({ columns, references }: Catalogue, columnOf: ColumnOf): Set<string> {
	const found = new Set(columns.filter(({ table, column }) => column === columnOf(table)).map(({ table }) => table));
	for (;;) {
		const further = references.filter(({ table, parent }) => found.has(parent) && !found.has(table));
		if (further.length === 0) return found;
		for (const { table } of further) found.add(table);
	}
}

/** Describes a table's rows; all tables that it refers to must be described already. */
function describeRows(
	catalogue: Catalogue,
	table: string,
	name: string | undefined,
	parents: ReadonlyMap<string, Rows>,
): Rows {
	const own = catalogue.columns.filter((one) => one.table === table);
	const type = own.find(({ column }) => column === name)?.type;
	const references = catalogue.references.flatMap(({ table: child, columns, parent, parentColumns }) => {
		const rows = parents.get(parent);
		// References that contain the column itself add nothing, and the tenant column already selects all rows of a tenant.
		const isSelected = name !== undefined && (columns.includes(name) || name === tenantColumnOf(catalogue, table));
		return child === table && rows && !isSelected ? [{ columns, parentColumns, rows }] : [];
	});
	return {
		table,
		hasTenant: own.some(({ column }) => column === TENANT_COLUMN),
		...(name !== undefined && type !== undefined && { column: { name, type } }),
		references,
	};
}

/** Orders tables so that referring ones come first. Throws an Error for circular references. */
function order({ references }: Catalogue, found: ReadonlySet<string>): string[] {
	const waiting = new Set(found);
	const ordered: string[] = [];
	while (waiting.size > 0) {
		const isFree = (table: string) =>
			!references.some((one) => one.parent === table && one.table !== table && waiting.has(one.table));
		const free = [...waiting].filter((table) => isFree(table) && (table !== LAST || waiting.size === 1));
		if (free.length === 0) throw new Error(`tables refer to each other in a circle: ${[...waiting].join(", ")}`);
		for (const table of free) {
			waiting.delete(table);
			ordered.push(table);
		}
	}
	return ordered;
}
