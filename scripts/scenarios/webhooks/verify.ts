/** Verifies signatures from the published descriptions alone. Shares no code with the service. */
import { createHmac, timingSafeEqual } from "node:crypto";
import type { NamedSecret, Receipt } from "./receipt";

export const MAIN = "x-service-signature";
export const NEXT = "x-service-signature-next";

/** `t=SECONDS,v1=HEX` over `t`, a dot and the body, under the whole text of the secret. */
export function isServiceSignature(header: string, body: Uint8Array, secret: string): boolean {
	const { t, v1 = "" } = readFields(header);
	return isSame(v1, createHmac("sha256", secret).update(`${t}.`).update(body).digest("hex"));
}

/** `v1,BASE64` over id, timestamp and body, with dots, under what the secret holds in base64. Source: Standard Webhooks 1.0.0. */
export function isStandardSignature(one: string, id: string, t: string, body: Uint8Array, secret: string): boolean {
	const key = Buffer.from(secret.slice("whsec_".length), "base64");
	return isSame(one, `v1,${createHmac("sha256", key).update(`${id}.${t}.`).update(body).digest("base64")}`);
}

export function readFields(header: string): { readonly t?: string; readonly v1?: string } {
	return Object.fromEntries(header.split(",").map((field) => field.split("=", 2)));
}

function isSame(given: string, expected: string): boolean {
	return given.length === expected.length && timingSafeEqual(Buffer.from(given), Buffer.from(expected));
}

/** Names of the secrets that verify each signature of a request; null for none. */
export function findSigners(
	headers: Readonly<Record<string, string>>,
	body: Uint8Array,
	secrets: readonly NamedSecret[],
): Pick<Receipt, "main" | "next" | "standard"> {
	const nameOf = (fits: (secret: string) => boolean) => secrets.find(({ secret }) => fits(secret))?.name ?? null;
	const next = headers[NEXT];
	const id = headers["webhook-id"] ?? "";
	const t = headers["webhook-timestamp"] ?? "";
	return {
		main: nameOf((secret) => isServiceSignature(headers[MAIN] ?? "", body, secret)),
		...(next === undefined ? {} : { next: nameOf((secret) => isServiceSignature(next, body, secret)) }),
		standard: (headers["webhook-signature"] ?? "")
			.split(" ")
			.map((one) => nameOf((secret) => isStandardSignature(one, id, t, body, secret))),
	};
}
