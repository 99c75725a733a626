import { type Static, Type } from "@sinclair/typebox";
import type { CertificateRow, CertificateStatus } from "./store";

/** The public data of a certificate. It never includes the key. */
export const CertificateRecord = Type.Object(
	{
		id: Type.String(),
		status: Type.String({
			description:
				"`active` signs. `scheduled` signs from `activateAt` on. `retired` can be activated again. `expired` is past its `notAfter` " +
				"and no longer signs. `removed` has no key.",
		}),
		subject: Type.String(),
		issuer: Type.String(),
		serialNumber: Type.String(),
		thumbprint: Type.String(),
		notBefore: Type.String(),
		notAfter: Type.String(),
		daysLeft: Type.Integer(),
		ephemeral: Type.Boolean(),
		activateAt: Type.String(),
	},
	{
		examples: [
			{
				id: "0192f0e0-7a00-7b11-9c22-334455667788",
				status: "scheduled",
				subject: "CN=JUAN PEREZ, SERIALNUMBER=IDCDO-00112345678",
				issuer: "CN=ENTIDAD DE CERTIFICACION",
				serialNumber: "5A:1F",
				thumbprint: "sha256:ab12…",
				notBefore: "2026-11-01T00:00:00.000Z",
				notAfter: "2028-11-01T00:00:00.000Z",
				daysLeft: 711,
				ephemeral: false,
				activateAt: "2026-12-01T04:00:00.000Z",
			},
		],
	},
);
export type CertificateRecord = Static<typeof CertificateRecord>;

const DAY_MS = 86_400_000;

export function toCertificateRecord(row: CertificateRow, now: Date): CertificateRecord {
	return {
		id: row.id,
		status: toShownStatus(row, now),
		subject: row.subject,
		issuer: row.issuer,
		serialNumber: row.serialNumber,
		thumbprint: row.thumbprint,
		notBefore: row.notBefore.toISOString(),
		notAfter: row.notAfter.toISOString(),
		daysLeft: Math.floor((row.notAfter.getTime() - now.getTime()) / DAY_MS),
		ephemeral: row.ephemeral,
		activateAt: row.activateAt.toISOString(),
	};
}

/** An expired certificate is shown as expired whatever its stored status, without a write. */
function toShownStatus({ status, notAfter }: CertificateRow, now: Date): CertificateStatus | "expired" {
	return status !== "removed" && notAfter < now ? "expired" : status;
}

/** The records of a company's certificates at `now`, including activations that are not recorded yet. */
export function toCertificateRecords(rows: readonly CertificateRow[], now: Date): CertificateRecord[] {
	const isDue = (row: CertificateRow) => row.status === "scheduled" && row.activateAt <= now;
	const hasDue = rows.some(isDue);
	return rows.map((row) => {
		const status = isDue(row) ? "active" : hasDue && row.status === "active" ? "retired" : row.status;
		return toCertificateRecord({ ...row, status }, now);
	});
}
