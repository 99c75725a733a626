/** Whether a stated issuer and serial number are those of a certificate. */
import "reflect-metadata";
import { Name } from "@peculiar/x509";
import { fromHex, isSameBytes, joinBytes } from "../../platform/values";
import type { IssuerSerial } from "./read-properties";
import type { SignerCertificate } from "./signer-certificate";

const SEQUENCE = 0x30;
const INTEGER = 0x02;
/** The directory name among the forms of a general name. Source: RFC 5280, 4.2.1.6. */
const DIRECTORY_NAME = 0xa4;

/** Longer than any name; what is longer is not parsed. */
const NAME_CHARACTERS_MAX = 2_000;

export function matchesIssuerSerial(stated: IssuerSerial, { issuerDer, serialNumber }: SignerCertificate): boolean {
	if ("der" in stated) return isSameBytes(stated.der, encodeIssuerSerial(issuerDer, serialNumber));
	if (!/^\d{1,60}$/.test(stated.serialNumber) || stated.issuerName.length > NAME_CHARACTERS_MAX) return false;
	if (BigInt(stated.serialNumber) !== BigInt(`0x${serialNumber}`)) return false;
	const [ours, theirs] = [partsOf(issuerDer), partsOf(stated.issuerName)];
	// RFC 4514 writes a name from its end; many programs write it from its beginning.
	return theirs !== undefined && [theirs, theirs.toReversed()].some((parts) => parts.join("\n") === ours?.join("\n"));
}

/** Source: RFC 5035, appendix A, IssuerSerial. */
function encodeIssuerSerial(issuerDer: Uint8Array, serialNumber: string): Uint8Array {
	const even = serialNumber.length % 2 === 0 ? serialNumber : `0${serialNumber}`;
	const digits = fromHex(even) ?? new Uint8Array();
	const positive = (digits[0] ?? 0) >= 0x80 ? joinBytes(Uint8Array.of(0), digits) : digits;
	const issuer = encode(SEQUENCE, encode(DIRECTORY_NAME, issuerDer));
	return encode(SEQUENCE, joinBytes(issuer, encode(INTEGER, positive)));
}

function encode(tag: number, content: Uint8Array): Uint8Array {
	const { byteLength } = content;
	const long = byteLength < 0x100 ? [0x81, byteLength] : [0x82, byteLength >> 8, byteLength & 0xff];
	return joinBytes(Uint8Array.of(tag, ...(byteLength < 0x80 ? [byteLength] : long)), content);
}

/** Each part as its type and value, in order; undefined for what is no name. */
function partsOf(name: Uint8Array | string): string[] | undefined {
	try {
		const parts = new Name(typeof name === "string" ? name : new Uint8Array(name)).toJSON();
		return parts.map((part) => JSON.stringify(Object.entries(part).sort()));
	} catch {
		// The library throws on whatever it cannot parse.
		return undefined;
	}
}
