/** The changes of a company's certificates: add, activate, remove. */
import type { Signer } from "../../ecf/signing";
import { countCompanyVersion, lockCompany } from "../../events/endpoints";
import { type Actor, type Doer, recordAudit } from "../../identity/audit-log";
import type { Sql, Tx } from "../../platform/database";
import { type Message, msg, Problem } from "../../platform/problem";
import type { Clock } from "../../platform/values";
import { lockChangeable } from "../own-company";
import { importCertificate } from "../signing-identity";
import type { ReadUpload } from "./read-upload";
import { type CertificateRecord, toCertificateRecord } from "./record";
import {
	type CertificateRow,
	findByThumbprint,
	findCertificate,
	findTenantsDue,
	insertCertificate,
	place,
	removeKey,
	retire,
	settleDue,
} from "./store";

export type CertificateContext = { readonly sql: Sql; readonly signer: Signer; readonly clock: Clock };

export type Added = {
	readonly record: CertificateRecord;
	readonly warnings: readonly { readonly code: string; readonly pointer: string; readonly detail: string }[];
};

/**
 * Adds a certificate. It signs at once, or from `activateAt` on; until then the present one continues.
 * Throws: certificate-invalid, judged for the instant at which it starts to sign.
 */
export async function addCertificate(
	deps: CertificateContext,
	tenantId: string,
	upload: ReadUpload,
	actor: Actor,
): Promise<Added> {
	const now = deps.clock.now();
	const isLater = upload.activateAt !== undefined && upload.activateAt > now;
	const activateAt = isLater && upload.activateAt ? upload.activateAt : now;
	const taken = await importCertificate(deps.signer, tenantId, upload, { now, validAt: activateAt });
	const row: CertificateRow = { ...taken.row, status: isLater ? "scheduled" : "active", activateAt };
	const doer = { actor, at: now };
	const { stored } = await change(deps, tenantId, now, async (tx) => {
		const placed = await placeCertificate(tx, tenantId, row, doer);
		if (placed.isNew) await countCompanyVersion(tx, tenantId);
		return placed;
	});
	return { record: toCertificateRecord(stored, now), warnings: taken.warnings };
}

/**
 * Makes a certificate sign from now on. The previous one is kept for a roll-back.
 * Throws: not-found; certificate-invalid if it has expired, is not valid yet or has no key.
 */
export async function activateCertificate(
	tx: Tx,
	tenantId: string,
	id: string,
	doer: Doer,
): Promise<CertificateRecord> {
	const now = doer.at;
	await lockChangeable(tx, tenantId);
	await settleDue(tx, tenantId, now);
	const row = await findOwn(tx, tenantId, id);
	refuseUnfit(row, now);
	if (row.status === "active") return toCertificateRecord(row, now);
	await retire(tx, tenantId, "active");
	await place(tx, { tenantId, id }, "active", now);
	await note(tx, doer, "activate", row);
	return toCertificateRecord({ ...row, status: "active", activateAt: now }, now);
}

/**
 * Destroys a certificate's key in the database and in the memory of the signing threads. Threads of other processes drop an unused key after
 * ten minutes.
 * Gap: the active certificate may be removed too, which leaves the company without one, because a stolen key must be removable at once.
 * Throws: not-found.
 */
export async function removeCertificate(
	deps: CertificateContext,
	tenantId: string,
	id: string,
	actor: Actor,
): Promise<CertificateRecord> {
	const now = deps.clock.now();
	const removed = await change(deps, tenantId, now, async (tx) => {
		const row = await findOwn(tx, tenantId, id);
		if (row.status !== "removed") {
			await removeKey(tx, { tenantId, id });
			await note(tx, { actor, at: now }, "remove", row);
		}
		return { ...row, status: "removed" as const };
	});
	deps.signer.forgetKey({ tenantId, thumbprint: removed.thumbprint });
	return toCertificateRecord(removed, now);
}

/** Serialises the changes of a company's certificates, on rows that are up to date. */
async function change<T>(
	deps: CertificateContext,
	tenantId: string,
	now: Date,
	write: (tx: Tx) => Promise<T>,
): Promise<T> {
	const changed = await deps.sql.begin(async (tx) => {
		await lockChangeable(tx, tenantId);
		await settleDue(tx, tenantId, now);
		return { value: await write(tx) };
	});
	return changed.value;
}

/** Records a change of a certificate: in the audit log, and as the next version of its company. */
async function note(tx: Tx, doer: Doer, verb: "activate" | "remove", row: CertificateRow): Promise<void> {
	const { id: subject, tenantId, thumbprint } = row;
	await countCompanyVersion(tx, tenantId);
	await recordAudit(tx, { ...doer, action: `certificate.${verb}`, subject, tenantId, details: { thumbprint } });
}

async function findOwn(tx: Tx, tenantId: string, id: string): Promise<CertificateRow> {
	const row = await findCertificate(tx, tenantId, id);
	if (!row) throw new Problem("not-found");
	return row;
}

function refuseUnfit({ status, notBefore, notAfter }: CertificateRow, now: Date): void {
	const refuse = (code: string, detail: Message) =>
		new Problem("certificate-invalid", { detail, faults: [{ pointer: "#/path/cid", code, detail }] });
	if (status === "removed") throw refuse("removed", msg`The certificate's key was destroyed; upload it again.`);
	if (now > notAfter) throw refuse("expired", msg`The certificate expired on ${notAfter.toISOString()}.`);
	if (now < notBefore)
		throw refuse("not-yet-valid", msg`The certificate is not valid until ${notBefore.toISOString()}.`);
}

/**
 * Stores a certificate as `active` or `scheduled`, as its row says; the previous one is retired. Call it under the company's lock.
 * Gap: the same container again is the same certificate. A later scheduled certificate replaces an earlier one.
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
	if (known) await place(tx, { tenantId, id: known.id }, status, row.activateAt);
	else await insertCertificate(tx, row);
	const stored: CertificateRow = known ? { ...known, status, activateAt: row.activateAt } : row;
	const details = { thumbprint: stored.thumbprint, status, activateAt: stored.activateAt.toISOString() };
	await recordAudit(tx, { ...doer, action: "certificate.add", subject: stored.id, tenantId, details });
	return { stored, isNew: true };
}

/** Records for all companies that the day of a scheduled certificate has come; it has signed since then. Returns their number. */
export async function settleAllDue(sql: Sql, now: Date): Promise<number> {
	const tenants = await findTenantsDue(sql, now);
	for (const tenantId of tenants) {
		await sql.begin(async (tx) => {
			await lockCompany(tx, tenantId);
			await settleDue(tx, tenantId, now);
		});
	}
	return tenants.length;
}
