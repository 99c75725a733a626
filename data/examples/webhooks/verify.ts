// Node.js, Bun, Deno: no package needed. `body` is the raw request body, before any parsing.
import { createHmac, timingSafeEqual } from "node:crypto";

/** True when one of the headers X-Service-Signature and X-Service-Signature-Next was made with the secret in the last five minutes. */
export function verify(secret: string, headers: readonly (string | undefined)[], body: Uint8Array, now = Date.now() / 1000): boolean {
	return headers.some((header) => {
		const match = /^t=(\d{1,12}),v1=([0-9a-f]{64})$/.exec(header ?? "");
		if (!match?.[1] || !match[2] || Math.abs(now - Number(match[1])) > 300) return false;
		const expected = createHmac("sha256", secret).update(`${match[1]}.`).update(body).digest();
		return timingSafeEqual(expected, Buffer.from(match[2], "hex"));
	});
}
