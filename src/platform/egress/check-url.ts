/** Checks a URL before it is stored, without resolving it; the address is checked when a connection is made. */
import { type Message, msg } from "../problem";
import { type Environment, isSandbox } from "../values";
import { classifyAddress, parseAddress } from "./classify-address";

/** Where requests may go. */
export type EgressPolicy = {
	readonly environment: Environment;
	/**
	 * Each `host:port` that may be reached although it is private, over http and on any port, as URLs write it: lower case, IPv6 in
	 * brackets. For receivers on the same machine; the configuration keeps it empty in production.
	 */
	readonly allow: ReadonlySet<string>;
};

type UrlRefusal = {
	readonly code:
		| "malformed-url"
		| "scheme-not-allowed"
		| "userinfo-not-allowed"
		| "port-not-allowed"
		| "private-address"
		| "private-name";
	/** Shown to the caller who sent the URL. */
	readonly detail: Message;
};

/** Undefined when a request may be sent to the URL. */
export function checkOutboundUrl(text: string, policy: EgressPolicy): UrlRefusal | undefined {
	const url = parseUrl(text);
	if (!url) return refuse("malformed-url", msg`Is not an absolute URL.`);
	if (url.protocol !== "https:" && url.protocol !== "http:") {
		return refuse("scheme-not-allowed", msg`Only https URLs are called.`);
	}
	if (url.username !== "" || url.password !== "") {
		return refuse("userinfo-not-allowed", msg`A user name or password in the URL is not allowed.`);
	}
	if (isAllowListed(url, policy)) return undefined;
	if (url.protocol === "http:" && !isSandbox(policy.environment)) {
		return refuse("scheme-not-allowed", msg`Only https URLs are called.`);
	}
	const port = portOf(url);
	if (port !== 443 && port !== 80 && port < 1024) {
		return refuse("port-not-allowed", msg`Ports are 443, 80 or 1024 to 65535.`);
	}
	return checkHost(url.hostname);
}

/** True when the operator has allowed the URL's host and port. */
export function isAllowListed(url: URL, policy: EgressPolicy): boolean {
	return policy.allow.has(`${url.hostname}:${portOf(url)}`);
}

/** The host in the form that a resolver or a socket takes: IPv6 without brackets. */
export function bareHost(url: URL): string {
	return unbracket(url.hostname);
}

function unbracket(hostname: string): string {
	return hostname.replace(/^\[|\]$/g, "");
}

function parseUrl(text: string): URL | undefined {
	// The URL parser drops tabs and line breaks and trims spaces; the stored text must be what is called.
	if (/[\s\p{Cc}\\]/u.test(text)) return undefined;
	return URL.canParse(text) ? new URL(text) : undefined;
}

function portOf(url: URL): number {
	return url.port === "" ? (url.protocol === "https:" ? 443 : 80) : Number(url.port);
}

/** Names that never lead to the public internet. Sources: RFC 6761, RFC 6762 (appendix G), RFC 8375. */
const PRIVATE_ENDINGS = [
	"localhost",
	"localdomain",
	"local",
	"internal",
	"intranet",
	"private",
	"corp",
	"home",
	"lan",
	"home.arpa",
];

function checkHost(hostname: string): UrlRefusal | undefined {
	// The URL parser has normalised every numeric spelling (hexadecimal, octal, one number, full-width digits).
	const address = parseAddress(unbracket(hostname));
	if (address) {
		const found = classifyAddress(address);
		return found === "public" ? undefined : refuse("private-address", msg`Is not a public address (${found}).`);
	}
	const name = hostname.replace(/\.$/, "");
	const labels = name.split(".");
	if (labels.some((label) => label === "")) return refuse("malformed-url", msg`The host name is not well-formed.`);
	if (labels.length === 1 || PRIVATE_ENDINGS.some((ending) => name === ending || name.endsWith(`.${ending}`))) {
		return refuse("private-name", msg`Is not a public host name.`);
	}
	return undefined;
}

function refuse(code: UrlRefusal["code"], detail: Message): UrlRefusal {
	return { code, detail };
}
