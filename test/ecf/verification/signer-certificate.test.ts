import { expect, test } from "bun:test";
import { verifyDocument } from "../../../src/ecf/verification";
import { CORPUS_NOW, readCorpusFile } from "./support/corpus";

const text = new TextDecoder().decode(readCorpusFile("genuine/issuer-serial-first-form.xml"));
const [, base64 = ""] = /X509Certificate>([^<]+)</.exec(text) ?? [];
const der = Buffer.from(base64, "base64");

/** Head of a SEQUENCE of 256 bytes and more, and of the certificate's version 3, which its serial number follows. */
const HEAD_BYTES = 4;
const VERSION_BYTES = 5;

const sequence = (content: Uint8Array) =>
	Buffer.concat([Buffer.from([0x30, 0x82, content.byteLength >> 8, content.byteLength & 0xff]), content]);

/** The certificate with another serial number; it is unsigned. */
function withSerial(...serial: number[]): Buffer {
	const inside = 2 * HEAD_BYTES;
	const end = inside + der.readUInt16BE(inside - 2);
	const at = inside + VERSION_BYTES;
	const rest = der.subarray(at + 2 + (der[at + 1] ?? 0), end);
	const reported = Buffer.from([0x02, serial.length, ...serial]);
	return sequence(
		Buffer.concat([sequence(Buffer.concat([der.subarray(inside, at), reported, rest])), der.subarray(end)]),
	);
}

function faultsWith(certificate: Buffer): string[] {
	const bytes = new TextEncoder().encode(text.replace(base64, certificate.toString("base64")));
	return verifyDocument(bytes, { now: CORPUS_NOW }).faults.map(({ code }) => code);
}

test("a certificate with an empty serial number is unreadable", () => {
	expect(faultsWith(der)).toEqual([]);
	expect(faultsWith(withSerial())).toEqual(["certificate-unreadable"]);
});

test("another or a negative serial number does not match the properties", () => {
	for (const serial of [[0x00], [0x80], [0x00, 0xff]]) {
		expect(faultsWith(withSerial(...serial))).toContain("certificate-mismatch");
	}
});
