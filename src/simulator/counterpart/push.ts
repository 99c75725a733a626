/**
 * Sends documents to a receiver as the authority does, with authentication if the receiver wants it.
 *
 * Quirks seen in the authority's own requests: the file part has the media type `multipart/form-data;` or none. Its name has no quotes and is
 * repeated in the extended form.
 */
import { readDocument, textAt } from "../validation/read-document";
import { type CounterpartIdentity, leaf, signCanonical } from "./identity";

/** The receiver's answer; a string states why there is none. */
export type Pushed = { readonly status: number; readonly body: string } | string;

export type Push = {
	/** Base address; the service's path is appended. */
	readonly baseUrl: string;
	readonly path: string;
	readonly fileName: string;
	readonly xml: string;
	/** Media type of the file part; absent omits the header. */
	readonly partType?: string;
	readonly authenticationUrl: string | undefined;
};

const TIMEOUT_MS = 10_000;
const ANSWER_BYTES_MAX = 1024 * 1024;

export async function push(order: Push, identity: CounterpartIdentity): Promise<Pushed> {
	try {
		const token = order.authenticationUrl ? await authenticate(order.authenticationUrl, identity) : undefined;
		return await send(order, token);
	} catch (error) {
		return error instanceof Error ? error.message : String(error);
	}
}

/** Throws an Error if the receiver issues no seed or no token. */
async function authenticate(baseUrl: string, identity: CounterpartIdentity): Promise<string> {
	const seed = await call(addressOf(baseUrl, "/fe/autenticacion/api/semilla"), {});
	const document = readDocument(Buffer.from(seed.body));
	if (typeof document === "string") throw new Error(`the seed cannot be read: ${document}`);
	const value = textAt(document.root, "valor");
	const date = textAt(document.root, "fecha");
	if (value === undefined || date === undefined) throw new Error(`no seed, but HTTP ${seed.status}`);
	const content = leaf("valor", value) + leaf("fecha", date);
	const xml = signCanonical({ root: "SemillaModel", declarations: "", content }, identity);
	const path = "/fe/autenticacion/api/validacioncertificado";
	const answer = await send({ baseUrl, path, fileName: "semilla.xml", xml, partType: "text/xml" }, undefined);
	const token = readToken(answer.body);
	if (token === undefined) throw new Error(`no token, but HTTP ${answer.status}`);
	return token;
}

function readToken(body: string): string | undefined {
	return /"token"\s*:\s*"([^"]+)"/.exec(body)?.[1] ?? /<token>([^<]+)<\/token>/.exec(body)?.[1];
}

async function send(order: Omit<Push, "authenticationUrl">, token: string | undefined) {
	const boundary = crypto.randomUUID();
	const { fileName } = order;
	const body = [
		`--${boundary}\r\n`,
		order.partType === undefined ? "" : `Content-Type: ${order.partType}\r\n`,
		`Content-Disposition: form-data; name=xml; filename=${fileName}; filename*=utf-8''${fileName}\r\n\r\n`,
		`${order.xml}\r\n--${boundary}--\r\n`,
	].join("");
	return call(addressOf(order.baseUrl, order.path), {
		method: "POST",
		body: Buffer.from(body),
		headers: {
			"content-type": `multipart/form-data; boundary="${boundary}"`,
			...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
		},
	});
}

function addressOf(baseUrl: string, path: string): string {
	return baseUrl.replace(/\/$/, "") + path;
}

async function call(url: string, init: RequestInit): Promise<{ status: number; body: string }> {
	const answer = await fetch(url, {
		...init,
		redirect: "manual",
		keepalive: false,
		signal: AbortSignal.timeout(TIMEOUT_MS),
	});
	const body = await answer.text();
	return { status: answer.status, body: body.slice(0, ANSWER_BYTES_MAX) };
}
