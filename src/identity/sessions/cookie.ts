/** The session's cookie, and which requests may use it. */
import { randomBytes } from "node:crypto";
import { Problem } from "../../platform/problem";
import { type Environment, isLoopbackHost, isSandbox } from "../../platform/values";

/** Of the console, without a trailing slash. */
export type ConsoleAddress = { readonly url: string; readonly environment: Environment };

/** 256 bits. */
export function makeToken(): string {
	return randomBytes(32).toString("base64url");
}

export type SessionCookie = {
	/** The value that the browser sent; undefined without one. */
	readonly read: (request: Request) => string | undefined;
	/** Values of `Set-Cookie`. */
	readonly write: (request: Request, value: string, seconds: number) => string;
	readonly clear: () => readonly string[];
};

/**
 * Services on different ports of a machine share their cookies, so on loopback the name has the port. Safari stores no Secure cookie from
 * http; in a local sandbox it gets one without the prefix. Source: RFC 6265bis, 4.1.3 (`__Host-`).
 */
export function createSessionCookie(address: ConsoleAddress): SessionCookie {
	return createCookie(address, { ending: "", sameSite: "Strict", form: /^[A-Za-z0-9_-]{43}$/ });
}

/** Of a sign-in at another site, whose way back brings no Strict cookie. */
export function createSsoCookie(address: ConsoleAddress): SessionCookie {
	return createCookie(address, { ending: "-sso", sameSite: "Lax", form: /^[A-Za-z0-9_-]{1,3000}$/ });
}

type Kind = { readonly ending: string; readonly sameSite: "Strict" | "Lax"; readonly form: RegExp };

function createCookie({ url, environment }: ConsoleAddress, { ending, sameSite, form }: Kind): SessionCookie {
	const { protocol, hostname, port } = new URL(url);
	const isLocal = isLoopbackHost(hostname);
	const own = isLocal ? `__Host-sello-${port || (protocol === "https:" ? "443" : "80")}` : "__Host-sello";
	const name = `${own}${ending}`;
	const plainName = isSandbox(environment) && protocol === "http:" ? name.replace("__Host-", "") : undefined;
	const attributes = `Path=/; HttpOnly; SameSite=${sameSite}`;
	const toText = (named: string, value: string, seconds: number) =>
		`${named}=${value}; ${attributes}; Max-Age=${seconds}${named === plainName ? "" : "; Secure"}`;
	return {
		read({ headers }) {
			const cookies = headers.get("cookie");
			if (cookies === null) return undefined;
			const sent = new Map(cookies.split(";").map((pair) => splitPair(pair.trim())));
			const value = sent.get(name) ?? (plainName === undefined ? undefined : sent.get(plainName));
			return value !== undefined && form.test(value) ? value : undefined;
		},
		write: ({ headers }, value, seconds) =>
			toText(plainName !== undefined && isSafari(headers.get("user-agent")) ? plainName : name, value, seconds),
		clear: () => [name, ...(plainName === undefined ? [] : [plainName])].map((one) => toText(one, "", 0)),
	};
}

function splitPair(pair: string): [string, string] {
	const at = pair.indexOf("=");
	return at < 0 ? ["", pair] : [pair.slice(0, at), pair.slice(at + 1)];
}

const isSafari = (agent: string | null) => agent !== null && /Safari\//.test(agent) && !/Chrom|Android/.test(agent);

/**
 * Passes requests of the console's own pages: SameSite alone lets pages on another port of the machine send the cookie. Throws:
 * cross-site-request. Source: W3C Fetch Metadata, 2.4.
 */
export function refuseCrossSite({ headers }: Request, { url }: ConsoleAddress): void {
	const site = headers.get("sec-fetch-site");
	const isOwn = site === null ? headers.get("origin") === new URL(url).origin : site === "same-origin";
	if (!isOwn) throw new Problem("cross-site-request");
}
