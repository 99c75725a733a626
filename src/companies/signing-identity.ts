import { createHash } from "node:crypto";
import type { CertificateFacts, SealedIdentity, Signer } from "../ecf/signing";
import type { Sql, Tx } from "../platform/database";
import { Problem } from "../platform/problem";
import { newId } from "../platform/values";
import {
	type CertificateRow,
	findByThumbprint,
	findSigningCertificate,
	findSigningCertificates,
} from "./certificates/store";
import type { CompanyRow } from "./company";
import { findCompanies } from "./store";

const DAY_MS = 86_400_000;
const EPHEMERAL_DAYS = 365;

/**
 * Creates a certificate for a sandbox company, so that its next call can already issue. Like a real one it names a person, here a fictitious
 * one with an impossible number.
 */
export async function createEphemeralCertificate(signer: Signer, tenantId: string, now: Date): Promise<CertificateRow> {
	const made = await signer.createEphemeral({
		tenantId,
		holderName: "FIRMANTE DE PRUEBA",
		holderDocument: `999${String(now.getTime() % 100_000_000).padStart(8, "0")}`,
		notBefore: new Date(now.getTime() - DAY_MS).toISOString(),
		notAfter: new Date(now.getTime() + EPHEMERAL_DAYS * DAY_MS).toISOString(),
	});
	return toRow(tenantId, made.identity, made.facts, now, true);
}

/** A certificate to store, with warnings about its container. */
export type TakenCertificate = {
	readonly row: CertificateRow;
	readonly warnings: readonly { readonly code: string; readonly pointer: string; readonly detail: string }[];
};

/**
 * Imports a company's certificate from a PKCS#12 container. `validAt` is when it must be valid, now or later; `under` is the container's place
 * in the request. Throws: certificate-invalid, certificate-untrusted.
 */
export async function importCertificate(
	signer: Signer,
	tenantId: string,
	upload: { readonly bytes: Uint8Array; readonly password: string },
	{ now, validAt }: { readonly now: Date; readonly validAt: Date },
	under = "",
): Promise<TakenCertificate> {
	const { bytes, password } = upload;
	try {
		const at = { now: now.toISOString(), validAt: validAt.toISOString() };
		const taken = await signer.importPkcs12({ tenantId, bytes, password, ...at });
		return { row: toRow(tenantId, taken.identity, taken.facts, validAt, false), warnings: taken.warnings };
	} catch (error) {
		if (!(error instanceof Problem) || !/^certificate-(invalid|untrusted)$/.test(error.slug)) throw error;
		const faults = error.faults.map((fault) => ({ ...fault, pointer: under + fault.pointer }));
		throw new Problem(error.slug, { detail: error.detail, faults, cause: error });
	}
}

function toRow(
	tenantId: string,
	identity: SealedIdentity,
	facts: CertificateFacts,
	activateAt: Date,
	ephemeral: boolean,
): CertificateRow {
	return {
		id: newId(),
		tenantId,
		status: "active",
		certificateDer: identity.certificateDer,
		sealedKey: identity.sealedKey,
		thumbprint: facts.thumbprint,
		subject: facts.subject,
		issuer: facts.issuer,
		serialNumber: facts.serialNumber,
		notBefore: new Date(facts.notBefore),
		notAfter: new Date(facts.notAfter),
		ephemeral,
		activateAt,
	};
}

/** The certificate and sealed key that a company signs with now; undefined without a certificate that is valid at `now`. */
export async function findSigningIdentity(
	sql: Sql | Tx,
	tenantId: string,
	now: Date,
): Promise<SealedIdentity | undefined> {
	return toIdentity(await findSigningCertificate(sql, tenantId, now), now);
}

/**
 * The identity that signed a document, if its key still exists and it is valid; undefined otherwise. `current` signed most documents, which
 * saves the query.
 */
export async function findIdentityBehind(
	sql: Sql,
	current: SealedIdentity,
	signed: Uint8Array,
	now: Date,
): Promise<SealedIdentity | undefined> {
	const [, text = ""] = /<X509Certificate>([^<]+)</.exec(Buffer.from(signed).toString("latin1")) ?? [];
	const certificate = Buffer.from(text, "base64");
	if (certificate.equals(current.certificateDer)) return current;
	const thumbprint = `sha256:${createHash("sha256").update(certificate).digest("hex")}`;
	return toIdentity(await findByThumbprint(sql, current.tenantId, thumbprint), now);
}

export type Issuer = {
	readonly company: CompanyRow;
	readonly identity: SealedIdentity | undefined;
	/** Of the rows that it was read from, as the database's `intake` compares it. */
	readonly revisions: string;
};

/** The issuers of these tenants, in their order. */
export async function findIssuers(sql: Sql, tenantIds: readonly string[], now: Date): Promise<(Issuer | undefined)[]> {
	const [companies, certificates] = await Promise.all([
		findCompanies(sql, tenantIds),
		findSigningCertificates(sql, tenantIds, now),
	]);
	return tenantIds.map((tenantId) => {
		const company = companies.find((one) => one.tenantId === tenantId);
		const certificate = certificates.find((one) => one.tenantId === tenantId);
		if (!company) return undefined;
		const revisions = [company.revision, ...(certificate ? [certificate.id, certificate.revision] : [])].join(" ");
		return { company, identity: toIdentity(certificate, now), revisions };
	});
}

function toIdentity(row: CertificateRow | undefined, now: Date): SealedIdentity | undefined {
	if (!row?.sealedKey || row.notBefore > now || row.notAfter < now) return undefined;
	const { tenantId, thumbprint, certificateDer, sealedKey } = row;
	return { tenantId, thumbprint, certificateDer, sealedKey };
}
