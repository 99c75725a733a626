import { type Doer, recordAudit } from "../../identity/audit-log";
import type { Tx } from "../../platform/database";
import { type CertificateRow, findByThumbprint, insertCertificate, place, retire, settleDue } from "./store";

/**
 * Gives a certificate the place that its row names, `active` or `scheduled`; the one before it gives way. Call it under the company's lock.
 * Gap: the same container again is the same certificate; an earlier one that was scheduled gives up its place to a later one.
 */
export async function placeCertificate(
	tx: Tx,
	tenantId: string,
	row: CertificateRow,
	doer: Doer,
): Promise<{ readonly stored: CertificateRow; readonly isNew: boolean }> {
	const status = row.status === "scheduled" ? "scheduled" : ("active" as const);
	await settleDue(tx, tenantId, doer.at);
	const known = await findByThumbprint(tx, tenantId, row.thumbprint);
	if (known?.status === "active") return { stored: known, isNew: false };
	await retire(tx, tenantId, status);
	if (known) await place(tx, known.id, status, row.activateAt);
	else await insertCertificate(tx, row);
	const stored: CertificateRow = known ? { ...known, status, activateAt: row.activateAt } : row;
	const details = { thumbprint: stored.thumbprint, status, activateAt: stored.activateAt.toISOString() };
	await recordAudit(tx, { ...doer, action: "certificate.add", subject: stored.id, tenantId, details });
	return { stored, isNew: true };
}
