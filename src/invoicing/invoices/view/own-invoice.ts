/** What the operations on invoices share: their dependencies, parameters, and finding the caller's own document. */
import type { Archive, Checkpoints, ReadSealed } from "../../../archive";
import type { AuthorityUrls, ClockSkew } from "../../../authority/client";
import type { AuthorityStatus } from "../../../authority/status";
import type { Printer } from "../../../ecf/printing";
import type { Signer } from "../../../ecf/signing";
import { retryOnFailure, type Sql } from "../../../platform/database";
import { type Call, headerParameter, pathParameter, tenantOf } from "../../../platform/operation";
import { Problem } from "../../../platform/problem";
import type { Log } from "../../../platform/telemetry";
import { type Clock, type Environment, isId } from "../../../platform/values";
import type { RegistryReader } from "../check/check-tenant";
import type { AcknowledgedRing } from "../issue";
import type { InvoiceRow } from "../model/invoice-row";
import { findInvoice, findWholeInvoice, type ShownInvoice } from "../model/store";
import type { FindInvoiceApproval } from "./record";

export type InvoiceDeps = {
	readonly sql: Sql;
	readonly signer: Signer;
	readonly printer: Pick<Printer, "print">;
	readonly registry: RegistryReader;
	readonly archive: Archive;
	/** For what the database does not hold any more. */
	readonly readSealed: ReadSealed;
	readonly checkpoints: Checkpoints;
	readonly authorityUrls: AuthorityUrls;
	readonly clockSkew: ClockSkew;
	/** Whether what is stored may be acknowledged, although a standby may be missing. */
	readonly mayAcknowledge: () => boolean;
	/** Absent with the embedded database. */
	readonly ring: AcknowledgedRing | undefined;
	readonly authorityStatus: Pick<AuthorityStatus, "isContingency">;
	readonly environment: Environment;
	readonly clock: Clock;
	readonly log: Log;
	readonly baseUrl: string;
	/** Notifies dispatchers of new messages. */
	readonly wake: () => void;
	readonly isDraining: () => boolean;
	readonly findApproval: FindInvoiceApproval;
	/** Whether a batch holds documents of one shard alone. */
	readonly isByShard?: boolean;
};

export const TAG = "Invoices";

export const docIdParameter = pathParameter("docId", "The document's id.", "0192f110-7a00-7b11-9c22-334455667788");

export const conditionalParameter = headerParameter(
	"If-None-Match",
	"ETag of a previous answer. If nothing has changed, the answer is 304 without a body.",
);

/** Every visible change gives a document a new version. */
export const toEtag = (row: Pick<InvoiceRow, "version">) => `"v${row.version}"`;

/** The caller's own document. Throws: not-found, alike for foreign, unknown and malformed ids. */
export async function findOwnInvoice(sql: Sql, call: Call, id: string | undefined): Promise<ShownInvoice> {
	const tenantId = tenantOf(call);
	const row = id !== undefined && isId(id) ? await retryOnFailure(() => findInvoice(sql, tenantId, id)) : undefined;
	if (!row) throw new Problem("not-found");
	return row;
}

/** The same with its papers. Throws: not-found, archive-unavailable. */
export async function findOwnWhole(
	deps: Pick<InvoiceDeps, "sql" | "readSealed">,
	call: Call,
	id: string | undefined,
): Promise<InvoiceRow> {
	const tenantId = tenantOf(call);
	const row =
		id !== undefined && isId(id)
			? await retryOnFailure(() => findWholeInvoice(deps, { tenantId, docId: id }))
			: undefined;
	if (!row) throw new Problem("not-found");
	return row;
}
