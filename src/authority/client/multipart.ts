/** The one form in which the authority takes a document: a multipart body with a single file part called `xml`. */

export type MultipartBody = { readonly contentType: string; readonly bytes: Uint8Array };

const fileNameForm = /^[A-Za-z0-9._-]{1,60}$/;

/**
 * Wraps a document, its bytes untouched. Throws an Error on a file name that could break out of its header.
 * Source: RFC 7578; part name, media type and file name as the authority's description of its services wants them.
 */
export function wrapFile(fileName: string, xml: Uint8Array): MultipartBody {
	if (!fileNameForm.test(fileName)) throw new Error(`expected a plain file name, got ${JSON.stringify(fileName)}`);
	// 128 random bits: that the document contains them by chance is out of the question.
	const boundary = `sello-${crypto.randomUUID().replaceAll("-", "")}`;
	const head = `--${boundary}\r\nContent-Disposition: form-data; name="xml"; filename="${fileName}"\r\nContent-Type: text/xml\r\n\r\n`;
	return {
		contentType: `multipart/form-data; boundary=${boundary}`,
		bytes: Buffer.concat([Buffer.from(head), xml, Buffer.from(`\r\n--${boundary}--\r\n`)]),
	};
}

/** The mandated name: issuer's RNC, then the e-NCF; e-CF and summaries alike. */
export function fileNameOf(rnc: string, encf: string): string {
	return `${rnc}${encf}.xml`;
}
