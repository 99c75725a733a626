/**
 * The tables with rows of tenants, in the order in which a wipe deletes from them: rows that refer to others go first. The archive's rows stay:
 * they contain digests, from which the roots of other tenants' proofs are computed. `forget_seals` empties the rest of them.
 */
export type WipedTable = {
	readonly table: string;
	/** The column that names the tenant; `tenant_id` if absent. */
	readonly tenant?: string;
	/** The column with the id of a document, a decision or a test set. Without it and `parent`, rows go with their company alone. */
	readonly document?: string;
	/** The column with the ids of several documents, instead: a row goes with the last of them. */
	readonly documents?: string;
	/** Rows belong to those of another table. */
	readonly parent?: { readonly column: string; readonly table: string; readonly key: string };
};

const TABLES: Readonly<Record<string, Omit<WipedTable, "table">>> = {
	approval_deliveries: { document: "approval_id" },
	approval_papers: { document: "approval_id" },
	approval_rules: {},
	archive_exports: {},
	audit: { document: "subject" },
	buyer_papers: { document: "doc_id" },
	call_counts: { tenant: "subject_id" },
	certificate_notices: {},
	customer_sums: {},
	day_digests: {},
	day_sums: {},
	email_recipients: { parent: { column: "email_id", table: "emails", key: "id" } },
	names: { document: "doc_id" },
	open_documents: { document: "doc_id" },
	operator_accesses: {},
	outbox: { document: "subject" },
	papers: { document: "doc_id" },
	portal_links: {},
	portals: {},
	prepared_invoices: { document: "doc_id" },
	purchase_orders: { document: "approval_id" },
	rate_buckets: { tenant: "subject" },
	received_papers: { document: "id" },
	received_standings: { document: "document_id" },
	refresh_tokens: { parent: { column: "client_id", table: "oauth_clients", key: "client_id" } },
	registry_checks: {},
	released_names: { document: "doc_id" },
	request_keys: { tenant: "scope_id", document: "doc_id" },
	sequence_holds: {},
	sequence_leases: {},
	sequence_usage: {},
	sequence_void_steps: {},
	sequences_elsewhere: {},
	sequences_unreconciled: {},
	steps: { document: "doc_id" },
	test_set_cases: { document: "set_id" },
	usage_days: {},
	verdicts: { document: "doc_id" },
	watchlists: {},
	webhook_endpoints: {},
	work_log: { documents: "doc_ids" },
	// After the endpoints, whose removal renews it.
	heads: {},
	approvals: { document: "id" },
	buyer_deliveries: { document: "doc_id" },
	deliveries: { document: "doc_id" },
	documents: { document: "doc_id" },
	emails: { document: "doc_id" },
	oauth_clients: {},
	sequence_voids: {},
	sequences: {},
	signing_certificates: {},
	test_sets: { document: "id" },
	events: { document: "doc_id" },
	received_documents: { document: "id" },
	sequence_types: {},
	// Last: rules of the database look up a row's environment there.
	companies: {},
};

export const WIPED_TABLES: readonly WipedTable[] = Object.entries(TABLES).map(([table, rows]) => ({ table, ...rows }));
