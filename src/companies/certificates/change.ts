/** The three changes of a company's certificates: one is added, one is put in its place, one is removed. */
import type { Signer } from "../../ecf/signing";
import { countCompanyVersion, lockCompany } from "../../events/endpoints";
import { type Actor, type Doer, recordAudit } from "../../identity/audit-log";
import type { Sql, Tx } from "../../platform/database";
import { Problem } from "../../platform/problem";
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
 * Takes a certificate. It signs at once, or from `activateAt` on while the present one goes on until then.
 * Throws: certificate-invalid, judged for the instant from which on it is to sign.
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
 * Makes a certificate sign from now on; the one before it stays for the way back.
 * Throws: not-found; certificate-invalid when it has ended, is not valid yet or has no key any more.
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
	await place(tx, id, "active", now);
	await note(tx, doer, "activate", row);
	return toCertificateRecord({ ...row, status: "active", activateAt: now }, now);
}

/**
 * Destroys a certificate's key: in the database, and in the memory of the signing threads.
 * Gap: the one that signs may be removed too, and the company then has none: a stolen key must be able to go at once.
 * Threads of other processes forget the key when they have not used it for ten minutes. Throws: not-found.
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
			await removeKey(tx, id);
			await note(tx, { actor, at: now }, "remove", row);
		}
		return { ...row, status: "removed" as const };
	});
	deps.signer.forgetKey({ tenantId, thumbprint: removed.thumbprint });
	return toCertificateRecord(removed, now);
}

/** One change at a time for each company, on rows that say what is so now. */
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

/** Writes down what was done to a certificate: in the audit, and as another version of its company. */
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
	const refuse = (code: string, detail: string) =>
		new Problem("certificate-invalid", { detail, faults: [{ pointer: "#/path/cid", code, detail }] });
	if (status === "removed") throw refuse("removed", "The certificate's key was destroyed; upload it again.");
	if (now > notAfter) throw refuse("expired", `The certificate expired on ${notAfter.toISOString()}.`);
	if (now < notBefore) throw refuse("not-yet-valid", `The certificate is not valid before ${notBefore.toISOString()}.`);
}

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

/** Writes down for all companies that a scheduled certificate's day has come; it has signed since. Gives their number. */
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
