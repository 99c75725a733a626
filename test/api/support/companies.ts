/** RNCs of the sample registry for companies that a test registers by hand, apart from those that tenants are given. */
import { createPrivateKey } from "node:crypto";
import { join } from "node:path";
import { unzipSync } from "fflate";
import forge from "node-forge";
import { createEphemeralIdentity } from "../../../src/ecf/signing/ephemeral-identity";

type Entry = { readonly rnc: string; readonly name: string; readonly status: string };

let entries: Entry[] | undefined;
let taken = 0;

async function listEntries(): Promise<Entry[]> {
	if (entries) return entries;
	const zip = await Bun.file(join(import.meta.dir, "../../../data/registry/sample.zip")).arrayBuffer();
	const text = new TextDecoder("latin1").decode(Object.values(unzipSync(new Uint8Array(zip)))[0]);
	entries = text
		.split("\r\n")
		.map((line) => line.split("|").map((cell) => cell.trim()))
		.filter((cells) => cells.length === 11 && /^\d{9}$/.test(cells[0] ?? ""))
		.map((cells) => ({ rnc: cells[0] ?? "", name: (cells[1] ?? "").replace(/ +/g, " "), status: cells[9] ?? "" }));
	return entries;
}

/** An active company that is not registered: taken from the end, where tenants are taken from the beginning. */
export async function takeActiveCompany(): Promise<Entry> {
	const active = (await listEntries()).filter((entry) => entry.status === "ACTIVO");
	const entry = active[active.length - ++taken];
	if (!entry) throw new Error("the sample registry has no company left");
	return entry;
}

/** A company that the registry lists as inactive. */
export async function findInactiveCompany(): Promise<Entry> {
	const entry = (await listEntries()).find((one) => one.status !== "ACTIVO" && one.status !== "");
	if (!entry) throw new Error("the sample registry has only active companies");
	return entry;
}

/** A PKCS#12 container of a fresh key, and the key as PEM, to search for leaks of it. */
export async function makePkcs12(
	password: string,
	notAfter = "2036-01-01T00:00:00Z",
	algorithm: "aes256" | "3des" = "aes256",
	holderName = "JUANA PEREZ",
) {
	const made = await createEphemeralIdentity({
		holderName,
		holderDocument: "00100000009",
		notBefore: new Date("2026-01-01T00:00:00Z"),
		notAfter: new Date(notAfter),
	});
	const key = createPrivateKey({ key: Buffer.from(made.pkcs8Der), format: "der", type: "pkcs8" });
	const privateKey = key.export({ type: "pkcs8", format: "pem" }).toString();
	const certificate = Buffer.from(made.certificateDer).toString("base64");
	const asn1 = forge.pkcs12.toPkcs12Asn1(
		forge.pki.privateKeyFromPem(privateKey),
		[forge.pki.certificateFromPem(`-----BEGIN CERTIFICATE-----\n${certificate}\n-----END CERTIFICATE-----`)],
		password,
		{ algorithm },
	);
	const pkcs12 = Buffer.from(forge.asn1.toDer(asn1).getBytes(), "binary").toString("base64");
	return { pkcs12, password, privateKey };
}
