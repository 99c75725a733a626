/**
 * Which rows of which tables belong to a tenant, and in which order they go: told by the database's own catalogue.
 *
 *     companies ◀── invoices ◀── signed_documents          a foreign key: the rows that refer go first
 *     tenant_id     tenant_id    (doc_id) → invoices       a column of the tenant's, or the rows of a table that has one
 *
 * A table that a later migration brings is taken along by its `tenant_id` or by its foreign key, without a word here. Some name the tenant
 * by another word. The archive's leaves stay: they hold digests, and the roots of the others' proofs are made of them.
 */

/** What the catalogue tells. */
export type Catalogue = {
	/** Every column of the service's tables. */
	readonly columns: readonly { readonly table: string; readonly column: string; readonly type: string }[];
	readonly references: readonly Reference[];
};

export type Reference = {
	readonly table: string;
	readonly columns: readonly string[];
	readonly parent: string;
	readonly parentColumns: readonly string[];
};

/** Rows of a table: those with a value in the column, and those that refer to rows that are told. */
export type Rows = {
	readonly table: string;
	/** Of the wiped tenant alone, where each row names one. */
	readonly hasTenant: boolean;
	readonly column?: { readonly name: string; readonly type: string };
	readonly references: readonly (Pick<Reference, "columns" | "parentColumns"> & { readonly rows: Rows })[];
};

const TENANT_COLUMN = "tenant_id";
const TENANT_BY_ANOTHER_WORD: Readonly<Record<string, string>> = {
	idempotency_keys: "scope_id",
	call_counts: "subject_id",
	rate_buckets: "subject",
};
/** Where a document's id is not called `doc_id`. */
const DOCUMENT_BY_ANOTHER_WORD: Readonly<Record<string, string>> = {
	audit: "subject",
	outbox: "subject",
	received_documents: "id",
	test_sets: "id",
};
/** Digests that others' proofs stand on. */
const KEPT = ["archive_leaves"];
/** The last to go: rules of the database ask it which environment a row is of. */
const LAST = "companies";

/** The column that names a row's tenant. */
export function tenantColumnOf({ columns }: Catalogue, table: string): string | undefined {
	if (KEPT.includes(table)) return undefined;
	const own = TENANT_BY_ANOTHER_WORD[table] ?? TENANT_COLUMN;
	return columns.some((one) => one.table === table && one.column === own) ? own : undefined;
}

/** Rows that belong to a tenant, in the order in which they can be deleted. */
export function planWipe(catalogue: Catalogue): Rows[] {
	return plan(catalogue, (table) => tenantColumnOf(catalogue, table));
}

/**
 * The same for rows that belong to documents: those with a `doc_id` and what refers to them, the work that waits for a document, and what was
 * done with it. A test set is told by its own id, and goes with its documents.
 */
export function planDocumentWipe(catalogue: Catalogue): Rows[] {
	const has = (table: string, column: string) =>
		catalogue.columns.some((one) => one.table === table && one.column === column);
	return plan(catalogue, (table) => {
		if (tenantColumnOf(catalogue, table) === undefined) return undefined;
		if (has(table, "doc_id")) return "doc_id";
		return DOCUMENT_BY_ANOTHER_WORD[table];
	});
}

type ColumnOf = (table: string) => string | undefined;

function plan(catalogue: Catalogue, columnOf: ColumnOf): Rows[] {
	const found = new Map<string, Rows>();
	for (const table of order(catalogue, collect(catalogue, columnOf)).reverse()) {
		found.set(table, tell(catalogue, table, columnOf(table), found));
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

/** A table's rows, when those of all that it refers to are told. */
function tell(catalogue: Catalogue, table: string, name: string | undefined, parents: ReadonlyMap<string, Rows>): Rows {
	const own = catalogue.columns.filter((one) => one.table === table);
	const type = own.find(({ column }) => column === name)?.type;
	const references = catalogue.references.flatMap(({ table: child, columns, parent, parentColumns }) => {
		const rows = parents.get(parent);
		// By the column itself nothing further is reached, and a tenant's rows are all told by the tenant.
		const isTold = name !== undefined && (columns.includes(name) || name === tenantColumnOf(catalogue, table));
		return child === table && rows && !isTold ? [{ columns, parentColumns, rows }] : [];
	});
	return {
		table,
		hasTenant: own.some(({ column }) => column === TENANT_COLUMN),
		...(name !== undefined && type !== undefined && { column: { name, type } }),
		references,
	};
}

/** Those that refer before those that they refer to. Throws an Error for tables that refer to each other in a circle. */
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
