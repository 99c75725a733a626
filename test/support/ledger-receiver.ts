/** A customer's webhook receiver: checks the signature over the raw bytes with its own code, records the request, then answers. */
import { createHmac, timingSafeEqual } from "node:crypto";
import { createServer } from "node:http";
import { type Ledger, openLedger } from "./ledger";

export type ReceivedWebhook = {
	readonly at: string;
	readonly deliveryId: string;
	readonly event: string;
	readonly docId: string;
	readonly attempt: string;
	readonly verified: boolean;
	readonly answered: number;
};

const VERDICTS = new Set(["invoice.accepted", "invoice.rejected", "invoice.failed"]);

/** The webhooks that receivers got; counts each document with a verdict once. */
export function openWebhookLedger(path: string): Ledger<ReceivedWebhook> {
	return openLedger(path, ({ event, docId }) => (VERDICTS.has(event) ? docId : undefined));
}

export type Receiver = { readonly host: string; readonly stop: () => void };

const TOLERANCE_SECONDS = 300;

/** Deliveries to this path are answered with 500 and not recorded. */
export const BROKEN_PATH = "/broken";

/** Listens on a free loopback port. `secretOf` knows the secret of each path; an unverified request is answered with 400. */
export async function startReceiver(
	ledger: Ledger<ReceivedWebhook>,
	secretOf: (path: string) => string | undefined,
): Promise<Receiver> {
	const server = createServer((request, response) => {
		const chunks: Buffer[] = [];
		request.on("data", (chunk: Buffer) => chunks.push(chunk));
		request.on("end", () => {
			if (request.url === BROKEN_PATH) {
				response.writeHead(500).end();
				return;
			}
			const body = Buffer.concat(chunks);
			const secret = secretOf(request.url ?? "");
			const verified = secret !== undefined && isGenuine(String(request.headers["x-service-signature"]), body, secret);
			const answered = verified ? 204 : 400;
			ledger.write({
				at: new Date().toISOString(),
				deliveryId: String(request.headers["x-service-delivery"]),
				event: String(request.headers["x-service-event"]),
				docId: verified ? (JSON.parse(body.toString()) as { docId: string }).docId : "",
				attempt: String(request.headers["x-service-attempt"]),
				verified,
				answered,
			});
			response.writeHead(answered).end();
		});
	});
	await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
	const address = server.address();
	if (typeof address !== "object" || !address) throw new Error("the system gave no port");
	return {
		host: `127.0.0.1:${address.port}`,
		stop: () => {
			server.close();
			server.closeAllConnections();
		},
	};
}

/** Format: `t=SECONDS,v1=HEX`, an HMAC-SHA-256 over `t`, a dot and the body. */
export function isGenuine(header: string, body: Uint8Array, secret: string, nowSeconds = Date.now() / 1000): boolean {
	const match = /^t=(\d{1,12}),v1=([0-9a-f]{64})$/.exec(header);
	if (!match?.[1] || !match[2] || Math.abs(nowSeconds - Number(match[1])) > TOLERANCE_SECONDS) return false;
	const expected = createHmac("sha256", secret).update(`${match[1]}.`).update(body).digest();
	return timingSafeEqual(expected, Buffer.from(match[2], "hex"));
}
