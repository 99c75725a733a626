/**
 * The tables with rows of tenants, in the order in which a wipe deletes from them: rows that refer to others go first. The archive's leaves stay:
 * they contain digests, from which the roots of other tenants' proofs are computed.
 */
export type WipedTable = {
	readonly table: string;
	/** The column that names the tenant; `tenant_id` if absent. */
	readonly tenant?: string;
	/** The column with the id of a document, a decision or a test set. Without it and `parent`, rows go with their company alone. */
	readonly document?: string;
	/** Rows belong to those of another table. */
	readonly parent?: { readonly column: string; readonly table: string; readonly key: string };
};

export const WIPED_TABLES: readonly WipedTable[] = [
	{ table: "approval_deliveries", document: "approval_id" },
	{ table: "approval_papers", document: "approval_id" },
	{ table: "approval_rules" },
	{ table: "archive_exports" },
	{ table: "archive_objects", document: "doc_id" },
	{ table: "archive_removals", document: "doc_id" },
	{ table: "audit", document: "subject" },
	{ table: "buyer_papers", document: "doc_id" },
	{ table: "call_counts", tenant: "subject_id" },
	{ table: "certificate_notices" },
	{ table: "customer_sums" },
	{ table: "day_digests" },
	{ table: "day_sums" },
	{ table: "delivery_attempts", parent: { column: "delivery_id", table: "deliveries", key: "id" } },
	{ table: "email_recipients", parent: { column: "email_id", table: "emails", key: "id" } },
	{ table: "event_counters" },
	{ table: "names", document: "doc_id" },
	{ table: "open_documents", document: "doc_id" },
	{ table: "outbox", document: "subject" },
	{ table: "papers", document: "doc_id" },
	{ table: "purchase_orders", document: "approval_id" },
	{ table: "rate_buckets", tenant: "subject" },
	{ table: "received_papers", document: "id" },
	{ table: "received_standings", document: "document_id" },
	{ table: "refresh_tokens", parent: { column: "client_id", table: "oauth_clients", key: "client_id" } },
	{ table: "registry_checks" },
	{ table: "released_names", document: "doc_id" },
	{ table: "request_keys", tenant: "scope_id", document: "doc_id" },
	{ table: "sequence_holds" },
	{ table: "sequence_leases" },
	{ table: "sequence_usage" },
	{ table: "sequence_void_steps" },
	{ table: "sequences_elsewhere" },
	{ table: "steps", document: "doc_id" },
	{ table: "test_set_cases", document: "set_id" },
	{ table: "usage_days" },
	{ table: "verdicts", document: "doc_id" },
	{ table: "watchlists" },
	{ table: "webhook_endpoints" },
	{ table: "approvals", document: "id" },
	{ table: "buyer_deliveries", document: "doc_id" },
	{ table: "deliveries", document: "doc_id" },
	{ table: "documents", document: "doc_id" },
	{ table: "emails", document: "doc_id" },
	{ table: "oauth_clients" },
	{ table: "sequence_voids" },
	{ table: "sequences" },
	{ table: "signing_certificates" },
	{ table: "test_sets", document: "id" },
	{ table: "events", document: "doc_id" },
	{ table: "received_documents", document: "id" },
	{ table: "sequence_types" },
	// Last: rules of the database look up a row's environment there.
	{ table: "companies" },
];
