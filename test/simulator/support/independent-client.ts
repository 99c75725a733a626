/**
 * A client written from the authority's description of its services alone: it shares no code with the service's client or with the
 * simulator, and another program signs for it. Whatever it notices, any issuer's software would.
 */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { makeIdentity } from "./signer";

export type Reply = { readonly status: number; readonly mediaType: string; readonly body: string };

type Options = {
	readonly method?: string;
	readonly headers?: Record<string, string>;
	readonly body?: Buffer;
	/** Sends the body in pieces, without saying how long it is. */
	readonly streams?: boolean;
};

/** One exchange, byte for byte as asked: nothing is added but what HTTP needs. */
export function call(base: string, path: string, options: Options = {}): Promise<Reply> {
	const { method = "GET", headers = {}, body, streams = false } = options;
	return new Promise((resolve, reject) => {
		const { hostname, port } = new URL(base);
		const length: Record<string, string> = body && !streams ? { "content-length": String(body.length) } : {};
		const sent = request(
			{ hostname, port, path, method, agent: false, headers: { ...headers, ...length } },
			(answer) => {
				const chunks: Buffer[] = [];
				answer.on("data", (chunk: Buffer) => chunks.push(chunk));
				answer.on("error", reject);
				answer.on("end", () => {
					const mediaType = String(answer.headers["content-type"] ?? "");
					resolve({ status: answer.statusCode ?? 0, mediaType, body: Buffer.concat(chunks).toString() });
				});
			},
		);
		sent.on("error", reject);
		if (body && streams) for (const half of [body.subarray(0, 100), body.subarray(100)]) sent.write(half);
		sent.end(streams ? undefined : body);
	});
}

/** The one file part that every service takes. */
export function multipart(fileName: string, xml: string, part = "xml") {
	const boundary = "------------------------d74496d66958873e";
	const body = [
		`--${boundary}\r\nContent-Disposition: form-data; name="${part}"; filename="${fileName}"\r\n`,
		`Content-Type: text/xml\r\n\r\n${xml}\r\n--${boundary}--\r\n`,
	].join("");
	return { headers: { "Content-Type": `multipart/form-data; boundary=${boundary}` }, body: Buffer.from(body) };
}

const TEMPLATE = [
	'<Signature xmlns="http://www.w3.org/2000/09/xmldsig#"><SignedInfo>',
	'<CanonicalizationMethod Algorithm="http://www.w3.org/TR/2001/REC-xml-c14n-20010315"/>',
	'<SignatureMethod Algorithm="http://www.w3.org/2001/04/xmldsig-more#rsa-sha256"/>',
	'<Reference URI=""><Transforms><Transform Algorithm="http://www.w3.org/2000/09/xmldsig#enveloped-signature"/></Transforms>',
	'<DigestMethod Algorithm="http://www.w3.org/2001/04/xmlenc#sha256"/><DigestValue/></Reference></SignedInfo>',
	"<SignatureValue/><KeyInfo><X509Data><X509Certificate/></X509Data></KeyInfo></Signature>",
].join("");

/** Signs with xmlsec1, which must be there. */
export async function openSigner() {
	const folder = mkdtempSync(join(tmpdir(), "independent-client-"));
	const { key, certificate } = await makeIdentity({ cedula: "40200000004" });
	const pkcs8 = Buffer.from(await crypto.subtle.exportKey("pkcs8", key)).toString("base64");
	const pem = (label: string, base64: string) =>
		[`-----BEGIN ${label}-----`, ...(base64.match(/.{1,64}/g) ?? []), `-----END ${label}-----`, ""].join("\n");
	const [keyFile, certificateFile, draft] = ["key.pem", "certificate.pem", "draft.xml"].map((name) =>
		join(folder, name),
	);
	writeFileSync(keyFile ?? "", pem("PRIVATE KEY", pkcs8));
	writeFileSync(certificateFile ?? "", pem("CERTIFICATE", certificate));
	return {
		/** White space between elements must be gone before; the root's end tag gets the signature before it. */
		sign(xml: string): string {
			writeFileSync(
				draft ?? "",
				xml.replace(/<\/[A-Za-z]+>\s*$/, (end) => TEMPLATE + end),
			);
			const signed = Bun.spawnSync([
				"xmlsec1",
				"--sign",
				"--privkey-pem",
				`${keyFile},${certificateFile}`,
				draft ?? "",
			]);
			if (signed.exitCode !== 0) throw new Error(signed.stderr.toString());
			return signed.stdout.toString();
		},
		close: () => rmSync(folder, { recursive: true }),
	};
}

export type Signer = Awaited<ReturnType<typeof openSigner>>;

/** Takes a seed, signs it and turns it into a token. */
export async function authenticate(base: string, env: string, signer: Signer, streams = false): Promise<Reply> {
	const seed = await call(base, `/${env}/autenticacion/api/autenticacion/semilla`);
	const signed = signer.sign(seed.body.replace(/>\s+</g, "><"));
	const file = multipart("semilla.xml", signed);
	const headers = { ...file.headers, Accept: "application/json" };
	const path = `/${env}/autenticacion/api/autenticacion/validarsemilla`;
	return call(base, path, { method: "POST", body: file.body, headers, streams });
}
