import { expect, test } from "bun:test";
import { toCertificateRecords } from "../../../src/companies/certificates/record";
import type { CertificateRow, CertificateStatus } from "../../../src/companies/certificates/store";

const now = new Date("2027-06-01T12:00:00.000Z");
const seconds = (by: number) => new Date(now.getTime() + by * 1_000);

const row = (status: CertificateStatus, over: Partial<CertificateRow> = {}): CertificateRow => ({
	...{ id: "a", tenantId: "t", status, certificateDer: new Uint8Array(), sealedKey: null, thumbprint: "sha256:00" },
	...{ subject: "CN=A", issuer: "CN=A", serialNumber: "01", ephemeral: false },
	...{ notBefore: seconds(-9_000), notAfter: seconds(9_000), activateAt: seconds(-9_000) },
	...over,
});
const statusesOf = (...rows: CertificateRow[]) => toCertificateRecords(rows, now).map(({ status }) => status);

test("a certificate is shown as expired after its end unless its key was destroyed", () => {
	const ended = { notAfter: seconds(-1), activateAt: seconds(100) };
	const rows = (["active", "scheduled", "retired", "removed"] as const).map((status) => row(status, ended));
	expect(statusesOf(...rows)).toEqual(["expired", "expired", "expired", "removed"]);
	expect(statusesOf(row("active", { notAfter: now }))).toEqual(["active"]);
	expect(toCertificateRecords([row("active", ended)], now)[0]).toMatchObject({ status: "expired", daysLeft: -1 });
});

test("a scheduled certificate past its end is expired, and its predecessor retired", () => {
	const over = row("scheduled", { activateAt: seconds(-100), notAfter: seconds(-1) });
	expect(statusesOf(over, row("active"))).toEqual(["expired", "retired"]);
});
