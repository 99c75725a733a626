/**
 * The address of an export's file, which needs no credentials: it holds its own proof. The signature covers the export and the last instant, so
 * neither can be put in place of another, and another company's export has another id.
 */
import { createHmac, timingSafeEqual } from "node:crypto";
import { pathOf } from "./export";

type LinkTerms = { readonly id: string; readonly expires: number };

/** Whole seconds since 1970: the link is good as long as the file is there. */
const secondsOf = (until: Date) => Math.floor(until.getTime() / 1_000);

export function linkTo(key: Uint8Array, baseUrl: string, id: string, until: Date): string {
	const expires = secondsOf(until);
	return `${baseUrl}${pathOf(id)}/file?expires=${expires}&signature=${sign(key, { id, expires })}`;
}

/** True for a signature that was made here for exactly these terms. */
export function isSigned(key: Uint8Array, terms: LinkTerms, signature: string): boolean {
	const given = Buffer.from(signature);
	const right = Buffer.from(sign(key, terms));
	return given.length === right.length && timingSafeEqual(given, right);
}

function sign(key: Uint8Array, { id, expires }: LinkTerms): string {
	return createHmac("sha256", key).update(`export file|${id}|${expires}`).digest("base64url");
}
