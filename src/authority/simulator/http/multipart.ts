/** Takes the one file out of a multipart body. */
import type { Call } from "./call";

export type Upload = { readonly fileName: string; readonly bytes: Uint8Array<ArrayBuffer> };

/**
 * Reads the part `xml`. A string is the reason why the request is refused.
 * Quirk: the authority cannot read a request that streams without a length, and says that it is empty.
 */
export async function readMultipart(call: Call): Promise<Upload | string> {
	if (call.header("content-length") === undefined || call.body.length === 0) return "Multipart cannot be empty";
	const contentType = call.header("content-type") ?? "";
	if (!/^multipart\/form-data\s*;/i.test(contentType)) return "El contenido debe ser multipart/form-data.";
	const parts = await readParts(contentType, call.body);
	const [part, ...others] = parts ?? [];
	if (!part) return "Multipart cannot be empty";
	if (others.length > 0) return "Debe enviar un solo archivo.";
	const [name, content] = part;
	if (name !== "xml" || typeof content === "string") return "Debe enviar el archivo en la parte xml.";
	if (!/^(text|application)\/xml\b/i.test(content.type)) return "El archivo no es de tipo XML.";
	return { fileName: content.name, bytes: new Uint8Array(await content.arrayBuffer()) };
}

async function readParts(
	contentType: string,
	body: Uint8Array<ArrayBuffer>,
): Promise<[string, File | string][] | undefined> {
	try {
		const form = await new Response(body, { headers: { "content-type": contentType } }).formData();
		return [...form.entries()];
	} catch {
		// Whatever the parser finds wrong, to the caller it is a body without parts.
		return undefined;
	}
}
