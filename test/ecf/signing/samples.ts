/** Inputs for the tests of signing: an issuer, the examples of `data/`, an invoice with only one thing changed, identities. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { EcfInput, EcfInvoice, EcfIssuer, EcfLine } from "../../../src/ecf/mapping";
import { bunEngine, type SigningIdentity, toSigningIdentity } from "../../../src/ecf/signing";
import { createEphemeralIdentity } from "../../../src/ecf/signing/ephemeral-identity";

export const ISSUER: EcfIssuer = {
	rnc: "990000001",
	name: "FERRETERIA EL PROGRESO SRL",
	tradeName: "EL PROGRESO",
	address: { street: "Av. Duarte 100", municipalityCode: "010100", provinceCode: "010000" },
	phone: "(809) 555-0101",
	email: "facturas@elprogreso.example",
	economicActivity: "Venta al por menor de artículos de ferretería",
};
/** A company with nothing but its name. */
export const BARE_ISSUER: EcfIssuer = { rnc: "990000001", name: "FERRETERIA EL PROGRESO SRL" };

export const SIGNED_AT = "2026-11-20T14:20:00.121Z";
export const SEQUENCE_EXPIRES_ON = "2028-12-31";
export const SECURITY_CODE = "aB3/+9";

const EXAMPLES = join(import.meta.dir, "../../../data/examples/invoices");

export type Example = { readonly name: string; readonly input: EcfInput };

/** Every example invoice; those called minimal come from a company with nothing but its name. */
export function readExamples(): Example[] {
	const names = readdirSync(EXAMPLES)
		.filter((file) => file.endsWith(".json"))
		.map((file) => file.slice(0, -".json".length))
		.sort();
	return names.map((name) => ({
		name,
		input: toInput(
			JSON.parse(readFileSync(join(EXAMPLES, `${name}.json`), "utf8")),
			name.endsWith("-minimal") ? BARE_ISSUER : ISSUER,
		),
	}));
}

export function readExample(name: string): EcfInput {
	const example = readExamples().find((candidate) => candidate.name === name);
	if (!example) throw new Error(`expected an example called ${name}`);
	return example.input;
}

export function toInput(invoice: EcfInvoice, issuer: EcfIssuer = ISSUER): EcfInput {
	return { invoice, issuer, sequenceExpiresOn: SEQUENCE_EXPIRES_ON, signedAt: SIGNED_AT };
}

/** A line of 100.00; `subtotal` follows quantity and price only in the default. */
export function buildLine(changes: Partial<EcfLine> = {}): EcfLine {
	return {
		line_number: 1,
		description: "Cemento gris",
		quantity: "1",
		unit_price: "100.00",
		subtotal: "100.00",
		...changes,
	};
}

/** A fiscal-credit invoice of one line of 100.00 at 18 %, unless changed. */
export function buildInvoice(changes: Partial<EcfInvoice> = {}): EcfInvoice {
	const type = changes.type ?? "31";
	return {
		type,
		encf: `E${type}0000000001`,
		company: { rnc: ISSUER.rnc, name: ISSUER.name },
		customer: { rnc: "990000002", name: "CONSTRUCTORA LOS ROBLES SRL" },
		lines: [buildLine()],
		totals: { subtotal: "100.00", tax: "18.00", grand_total: "118.00" },
		...changes,
	};
}

let identity: Promise<SigningIdentity> | undefined;

/** One identity for all tests of a run: making an RSA key takes its time. */
export function anIdentity(): Promise<SigningIdentity> {
	identity ??= anotherIdentity();
	return identity;
}

export async function anotherIdentity(): Promise<SigningIdentity> {
	const made = await createEphemeralIdentity({
		holderName: "JUANA PÉREZ ÑÚÑEZ",
		holderDocument: "00100000009",
		notBefore: new Date("2026-01-01T00:00:00Z"),
		notAfter: new Date("2030-01-01T00:00:00Z"),
	});
	return toSigningIdentity(made, bunEngine);
}
