import type { Sql, Tx } from "../database";
import type { CertificateFacts, SealedIdentity, Signer } from "../signing";
import { newId } from "../values";
import type { CompanyRow } from "./company";
import { type CertificateRow, findActiveCertificate, findActiveCertificates, findCompanies } from "./store";

const DAY_MS = 86_400_000;
const EPHEMERAL_DAYS = 365;

/**
 * Makes a certificate for a company of a sandbox, so that its very next call can be an invoice. Like a real one it names a
 * person, here an invented one whose number cannot be anybody's.
 */
export async function createEphemeralCertificate(signer: Signer, tenantId: string, now: Date): Promise<CertificateRow> {
	const made = await signer.createEphemeral({
		tenantId,
		holderName: "FIRMANTE DE PRUEBA",
		holderDocument: `999${String(now.getTime() % 100_000_000).padStart(8, "0")}`,
		notBefore: new Date(now.getTime() - DAY_MS).toISOString(),
		notAfter: new Date(now.getTime() + EPHEMERAL_DAYS * DAY_MS).toISOString(),
	});
	return toRow(tenantId, made.identity, made.facts, true);
}

/** Takes a company's own certificate from a PKCS#12 container. Throws: certificate-invalid. */
export async function importCertificate(
	signer: Signer,
	tenantId: string,
	upload: { pkcs12: string; password: string },
	now: Date,
): Promise<CertificateRow> {
	const bytes = Buffer.from(upload.pkcs12, "base64");
	const taken = await signer.importPkcs12({ tenantId, bytes, password: upload.password, now: now.toISOString() });
	return toRow(tenantId, taken.identity, taken.facts, false);
}

function toRow(
	tenantId: string,
	identity: SealedIdentity,
	facts: CertificateFacts,
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
	};
}

/** The certificate and sealed key that a company signs with now; undefined when it has none or it is not valid at `now`. */
export async function findSigningIdentity(
	sql: Sql | Tx,
	tenantId: string,
	now: Date,
): Promise<SealedIdentity | undefined> {
	return toIdentity(await findActiveCertificate(sql, tenantId), now);
}

/** A company as one who issues: its row, and what signs for it now. */
export type Issuer = { readonly company: CompanyRow; readonly identity: SealedIdentity | undefined };

/** The issuers of these tenants, in their order. */
export async function findIssuers(sql: Sql, tenantIds: readonly string[], now: Date): Promise<(Issuer | undefined)[]> {
	const [companies, certificates] = await Promise.all([
		findCompanies(sql, tenantIds),
		findActiveCertificates(sql, tenantIds),
	]);
	return tenantIds.map((tenantId) => {
		const company = companies.find((one) => one.tenantId === tenantId);
		const certificate = certificates.find((one) => one.tenantId === tenantId);
		return company && { company, identity: toIdentity(certificate, now) };
	});
}

function toIdentity(row: CertificateRow | undefined, now: Date): SealedIdentity | undefined {
	if (!row || row.notBefore > now || row.notAfter < now) return undefined;
	const { tenantId, thumbprint, certificateDer, sealedKey } = row;
	return { tenantId, thumbprint, certificateDer, sealedKey };
}
