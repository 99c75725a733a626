/** The trusted authorities: a PEM bundle that the operator provides. */
import "reflect-metadata";
import { readFileSync } from "node:fs";
import { BasicConstraintsExtension, KeyUsageFlags, KeyUsagesExtension, X509Certificate } from "@peculiar/x509";

/** A certificate of the bundle. Each is trusted by itself: an intermediate authority needs no root. */
export type TrustedAuthority = {
	readonly subject: string;
	/** DER of the subject's name. */
	readonly subjectDer: Uint8Array;
	/** DER of its SubjectPublicKeyInfo. */
	readonly publicKey: Uint8Array;
	readonly notBefore: Date;
	readonly notAfter: Date;
};

/** The bundle cannot be used. */
export class TrustedAuthorityError extends Error {
	constructor(
		readonly path: string,
		finding: string,
		options?: ErrorOptions,
	) {
		super(`${path} holds no bundle of authorities: ${finding}`, options);
		this.name = "TrustedAuthorityError";
	}
}

const BLOCK = /-----BEGIN CERTIFICATE-----[A-Za-z0-9+/=\s]+-----END CERTIFICATE-----/g;

/** Reads the bundle. Throws a TrustedAuthorityError if it has no certificate, or one that is not an authority's. */
export function readTrustedAuthorities(path: string): TrustedAuthority[] {
	let pem: string;
	try {
		pem = readFileSync(path, "utf8");
	} catch (cause) {
		throw new TrustedAuthorityError(path, "it cannot be read", { cause });
	}
	return parseTrustedAuthorities(pem, path);
}

/** The authorities in the text of a bundle; `path` is its name in errors. Throws: as `readTrustedAuthorities`. */
export function parseTrustedAuthorities(pem: string, path: string): TrustedAuthority[] {
	const blocks = pem.match(BLOCK) ?? [];
	const begun = pem.match(/-----BEGIN CERTIFICATE-----/g)?.length ?? 0;
	if (blocks.length === 0) throw new TrustedAuthorityError(path, "there is no PEM certificate in it");
	if (blocks.length < begun) throw new TrustedAuthorityError(path, "a certificate in it does not end");
	return blocks.map((block, index) => {
		try {
			return toAuthority(block);
		} catch (cause) {
			const finding = cause instanceof Error ? cause.message : String(cause);
			throw new TrustedAuthorityError(path, `certificate ${index + 1}: ${finding}`, { cause });
		}
	});
}

function toAuthority(pem: string): TrustedAuthority {
	const x509 = new X509Certificate(pem);
	if (!x509.getExtension(BasicConstraintsExtension)?.ca) throw new Error("it is not an authority's");
	const usage = x509.getExtension(KeyUsagesExtension)?.usages;
	if (usage !== undefined && (usage & KeyUsageFlags.keyCertSign) === 0)
		throw new Error("it may not issue certificates");
	return {
		subject: x509.subject,
		subjectDer: new Uint8Array(x509.subjectName.toArrayBuffer()),
		publicKey: new Uint8Array(x509.publicKey.rawData),
		notBefore: x509.notBefore,
		notAfter: x509.notAfter,
	};
}
