import { randomBytes } from "node:crypto";
import { type CertificateRow, insertCertificate } from "../../../src/companies/certificates/store";
import type { Sql } from "../../../src/platform/database";
import { newId } from "../../../src/platform/values";

/** Adds a certificate with arbitrary bytes, active from the beginning of 2026 to the end of 2028. Returns its id. */
export async function addCertificate(sql: Sql, tenantId: string, over: Partial<CertificateRow> = {}): Promise<string> {
	const row: CertificateRow = {
		id: newId(),
		tenantId,
		status: "active",
		certificateDer: randomBytes(8),
		sealedKey: randomBytes(8),
		thumbprint: `sha256:${randomBytes(32).toString("hex")}`,
		subject: "CN=JUANA PEREZ",
		issuer: "CN=JUANA PEREZ",
		serialNumber: "01",
		notBefore: new Date("2026-01-01T00:00:00Z"),
		notAfter: new Date("2028-12-31T00:00:00Z"),
		ephemeral: false,
		activateAt: new Date("2026-01-01T00:00:00Z"),
		...over,
	};
	await sql.begin((tx) => insertCertificate(tx, row));
	return row.id;
}
