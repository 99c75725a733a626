/** The document of a decision: valid by the published schema, verifiable by others, and read back unchanged. */
import { expect, test } from "bun:test";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { bunEngine, toSigningIdentity } from "../../../src/ecf/signing";
import { createEphemeralIdentity } from "../../../src/ecf/signing/ephemeral-identity";
import { verifyDocument } from "../../../src/ecf/verification";
import type { ApprovalContent } from "../../../src/exchange/approvals/approval";
import { readAcecf } from "../../../src/exchange/approvals/examine";
import { signAcecf, writeAcecf } from "../../../src/exchange/approvals/send-approval";
import { isXmlText } from "../../../src/platform/values";
import { AUTHORITY_SCHEMAS, findJudge } from "../../support/judges";

const NOW = new Date("2026-11-20T14:50:00.000Z");
const content = (over: Partial<ApprovalContent> = {}): ApprovalContent => ({
	...{ issuerRnc: "101010101", buyerRnc: "131880681", encf: "E310000004321", issueDate: "2026-11-19", total: "1180" },
	...{ decision: "rejected", reason: "Cantidad no corresponde a la orden 5521", decidedAt: NOW },
	...over,
});

const identity = createEphemeralIdentity({
	holderName: "FIRMANTE DE PRUEBA",
	holderDocument: "99900000001",
	notBefore: new Date("2026-01-01T00:00:00.000Z"),
	notAfter: new Date("2027-01-01T00:00:00.000Z"),
}).then((bytes) => toSigningIdentity(bytes, bunEngine));

test("the members have the format's order, two decimals in the total and UTC-4", () => {
	expect(writeAcecf(content({ reason: "A & B <C>" }))).toBe(
		"<ACECF><DetalleAprobacionComercial><Version>1.0</Version><RNCEmisor>101010101</RNCEmisor><eNCF>E310000004321</eNCF>" +
			"<FechaEmision>19-11-2026</FechaEmision><MontoTotal>1180.00</MontoTotal><RNCComprador>131880681</RNCComprador><Estado>2</Estado>" +
			"<DetalleMotivoRechazo>A &amp; B &lt;C&gt;</DetalleMotivoRechazo>" +
			"<FechaHoraAprobacionComercial>20-11-2026 10:50:00</FechaHoraAprobacionComercial></DetalleAprobacionComercial></ACECF>",
	);
	const approved = writeAcecf(content({ decision: "approved", reason: null, total: "0" }));
	expect(approved).toContain("<MontoTotal>0.00</MontoTotal>");
	expect(approved).toContain("<Estado>1</Estado><FechaHora");
});

const xmllint = findJudge("xmllint");
const verify = findJudge("verify-signature");
test.skipIf(!xmllint || !verify).each(["xades-bes", "xmldsig"] as const)(
	"signed as %s it holds for the published schema and for xmlsec1",
	async (profile) => {
		const folder = mkdtempSync(join(tmpdir(), "sello-acecf-"));
		try {
			const xml = join(folder, "131880681E310000004321.xml");
			const signed = signAcecf(content({ reason: "ñ © € ® \"'&<>" }), await identity, {
				profile,
				signedAt: new Date(),
			});
			writeFileSync(xml, signed);
			const schema = join(folder, "schema.xsd");
			// The published schema has a group in another engine's dialect, which means the same as a plain one.
			const published = readFileSync(join(AUTHORITY_SCHEMAS, "ACECF v.1.0.xsd"), "utf8");
			writeFileSync(schema, published.replaceAll("(?:", "("));
			const verdicts = [await xmllint?.("--noout", "--schema", schema, xml), await verify?.(xml)];
			expect(verdicts).toMatchObject([{ exitCode: 0 }, { exitCode: 0 }]);
		} finally {
			rmSync(folder, { recursive: true });
		}
	},
);

test("what is written is read back from the signed bytes", async () => {
	const signer = await identity;
	const text = fc
		.string({ unit: "binary", minLength: 1, maxLength: 60 })
		.filter((one) => isXmlText(one) && one.trim() === one && one.trim() !== "");
	const cents = fc.bigInt({ min: 0n, max: 10n ** 15n });
	const words = fc.record({
		total: cents.map((n) => `${n / 100n}.${String(n % 100n).padStart(2, "0")}`),
		word: fc.oneof(
			fc.constant({ decision: "approved" as const, reason: null }),
			text.map((reason) => ({ decision: "rejected" as const, reason })),
		),
		profile: fc.constantFrom("xades-bes" as const, "xmldsig" as const),
	});
	fc.assert(
		fc.property(words, ({ total, word, profile }) => {
			const said = content({ total, ...word });
			const { content: root } = verifyDocument(signAcecf(said, signer, { profile, signedAt: NOW }), { now: NOW });
			const read = root && readAcecf(root);
			// XML readers normalise line ends.
			const reason = said.reason === null ? null : said.reason;
			expect(read).toEqual({ ...said, reason });
		}),
		{ numRuns: 60 },
	);
});
