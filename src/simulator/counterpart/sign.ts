/**
 * Signs documents that the simulator writes itself. They are written in canonical form already, so nothing has to be parsed: no
 * comments, no white space between elements, text escaped as in C14N, namespace declarations in order and on the root alone.
 */
import { createHash, sign as signBytes } from "node:crypto";
import type { CounterpartIdentity } from "./identity";

export type CanonicalDocument = {
	readonly root: string;
	/** Declarations on the root, in canonical order, each with a space before it; empty for none. */
	readonly declarations: string;
	/** All that stands in the root. */
	readonly content: string;
};

const SIGNATURE_NAMESPACE = ' xmlns="http://www.w3.org/2000/09/xmldsig#"';

/** The document with its signature as the root's last child, without an XML declaration. */
export function signCanonical(document: CanonicalDocument, { key, certificate }: CounterpartIdentity): string {
	const { root, declarations, content } = document;
	const wrap = (inner: string) => `<${root}${declarations}>${inner}</${root}>`;
	const digest = createHash("sha256").update(wrap(content)).digest("base64");
	const signedInfo = [
		'<CanonicalizationMethod Algorithm="http://www.w3.org/TR/2001/REC-xml-c14n-20010315"></CanonicalizationMethod>',
		'<SignatureMethod Algorithm="http://www.w3.org/2001/04/xmldsig-more#rsa-sha256"></SignatureMethod>',
		'<Reference URI=""><Transforms>',
		'<Transform Algorithm="http://www.w3.org/2000/09/xmldsig#enveloped-signature"></Transform></Transforms>',
		'<DigestMethod Algorithm="http://www.w3.org/2001/04/xmlenc#sha256"></DigestMethod>',
		`<DigestValue>${digest}</DigestValue></Reference>`,
	].join("");
	// In its own canonical form it has the namespaces that it inherits.
	const canonical = `<SignedInfo${SIGNATURE_NAMESPACE}${declarations}>${signedInfo}</SignedInfo>`;
	const value = signBytes("sha256", Buffer.from(canonical), key).toString("base64");
	return wrap(
		[
			`${content}<Signature${SIGNATURE_NAMESPACE}><SignedInfo>${signedInfo}</SignedInfo>`,
			`<SignatureValue>${value}</SignatureValue>`,
			`<KeyInfo><X509Data><X509Certificate>${certificate}</X509Certificate></X509Data></KeyInfo></Signature>`,
		].join(""),
	);
}

/** An element with text. */
export function leaf(name: string, text: string | number): string {
	const escaped = String(text).replace(/[&<>]/g, (c) => ({ "&": "&amp;", "<": "&lt;" })[c] ?? "&gt;");
	return `<${name}>${escaped}</${name}>`;
}
