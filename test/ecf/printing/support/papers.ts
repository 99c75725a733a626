/** Documents to print: the golden signed ones, and long ones made for the occasion. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { planEcf, writeEcf } from "../../../../src/ecf/mapping";
import { printDocument } from "../../../../src/ecf/printing/print-document";
import type { PrintJob } from "../../../../src/ecf/printing/print-job";
import { openFonts } from "../../../../src/ecf/printing/write-pdf";
import { ISSUER, SEQUENCE_EXPIRES_ON, SIGNED_AT } from "../../signing/samples";

const SIGNED = join(import.meta.dir, "../../../../data/golden/signed");

export const signedDocument = (name: string) => new Uint8Array(readFileSync(join(SIGNED, `${name}.xades-bes.xml`)));

/** As long as the authority's addresses are, with what is percent-encoded in them. */
export const qrUrlOf = (type: string) =>
	`https://ecf.authority.example/testecf/ConsultaTimbre?RncEmisor=990000001&RncComprador=990000002&ENCF=E${type}0000000099` +
	"&FechaEmision=20-11-2026&MontoTotal=5310.00&FechaFirma=20-11-2026%2010:20:00&CodigoSeguridad=aB3%2F%2B9";

export const jobOf = (name: string, over: Partial<PrintJob> = {}): PrintJob => ({
	format: "a4",
	paper: "a4",
	signedXml: signedDocument(name),
	qrUrl: qrUrlOf(name.slice(0, 2)),
	standing: "accepted",
	isTest: false,
	logo: undefined,
	...over,
});

export const opened = openFonts();
export const print = (job: PrintJob): Promise<Uint8Array> => printDocument(job, opened);

/** A debit note with a line for each description; its signature is only as printed. */
export function longDocument(descriptions: readonly string[]): Uint8Array {
	const lines = descriptions.map((description, i) => ({
		...{ line_number: i + 1, description, quantity: "1", unit_price: "100.00", subtotal: "100.00" },
	}));
	const total = (factor: number) => (descriptions.length * factor).toFixed(2);
	const plan = planEcf({
		invoice: {
			type: "33",
			encf: "E330000000099",
			company: { rnc: ISSUER.rnc, name: ISSUER.name },
			customer: { rnc: "990000002", name: "CONSTRUCTORA LOS ROBLES SRL" },
			lines,
			totals: { subtotal: total(100), tax: total(18), grand_total: total(118) },
			reference: { encf: "E310000000001", issue_date: "2026-11-01", code: 3 },
		},
		...{ issuer: ISSUER, sequenceExpiresOn: SEQUENCE_EXPIRES_ON, signedAt: SIGNED_AT },
	});
	const signature = "<Signature><SignatureValue>aB3/+9</SignatureValue></Signature></ECF>";
	return new TextEncoder().encode(writeEcf(plan).replace("</ECF>", signature));
}
