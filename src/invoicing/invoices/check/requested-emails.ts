/** The addresses that a request names for the mail with its document, which goes when the authority has accepted it. */
import type { Warning } from "../../../ecf/signing";
import { MAILABLE_PATTERN } from "../../../platform/values";

const MAILABLE = new RegExp(MAILABLE_PATTERN);

/** Those that mail can go to, each once however it is spelt. `request` is the JSON text as received. */
export function readAskedAddresses(request: string): string[] {
	// Most documents name none, and this is on the way of every verdict. A name may be spelt with escapes.
	if (!request.includes('"emails"') && !request.includes("\\u")) return [];
	const { emails = [] } = JSON.parse(request) as { readonly emails?: readonly string[] };
	const bySpelling = new Map(
		emails.filter((one) => MAILABLE.test(one)).map((address) => [address.toLowerCase(), address]),
	);
	return [...bySpelling.values()];
}

/** Tells of addresses that nothing can be sent to. */
export function findUnmailable(emails: readonly string[] = []): Warning[] {
	return emails.flatMap((address, n) => {
		if (MAILABLE.test(address)) return [];
		const detail = "Is not a plain e-mail address at a host with a domain: the document is not mailed to it.";
		return [{ pointer: `/emails/${n}`, code: "not-mailable", detail }];
	});
}
