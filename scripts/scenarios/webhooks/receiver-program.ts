/**
 * Customers' receivers in a separate program: one listener, a path for each webhook. It verifies every signature on arrival, records the
 * request, then acts as ordered for the path.
 *
 *   POST /_receiver   {path, secrets?, conduct?}     an order; answered with 204 once active
 *   POST /anything    a webhook
 *
 * Environment: LEDGER, the file to append to.
 */
import { createHash } from "node:crypto";
import { closeSync, openSync, writeSync } from "node:fs";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { Conduct, NamedSecret, PathOrder, Receipt } from "./receipt";
import { findSigners, MAIN, NEXT, readFields } from "./verify";

const ledger = openSync(process.env.LEDGER ?? "/dev/null", "a", 0o600);
const secretsOf = new Map<string, readonly NamedSecret[]>();
const conductOf = new Map<string, Conduct>();
const TAKE: Conduct = { kind: "answer", status: 204 };

const server = createServer((request, response) => {
	const chunks: Buffer[] = [];
	// An aborted request leaves nothing to record.
	request.on("error", () => response.destroy());
	request.on("data", (chunk: Buffer) => chunks.push(chunk));
	request.on("end", () => {
		const body = Buffer.concat(chunks);
		if (request.url === "/_receiver") obey(JSON.parse(body.toString()) as PathOrder, response);
		else receive(request, body, response);
	});
});

function obey({ path, secrets, conduct }: PathOrder, response: ServerResponse): void {
	if (secrets) secretsOf.set(path, secrets);
	if (conduct) conductOf.set(path, conduct);
	response.writeHead(204).end();
}

function receive(request: IncomingMessage, body: Buffer, response: ServerResponse): void {
	const path = request.url ?? "";
	const conduct = conductOf.get(path) ?? TAKE;
	const { answered, taken } = decide(conduct);
	const receipt = { ...examine(path, request, body, Date.now()), answered, taken };
	writeSync(ledger, `${JSON.stringify(receipt)}\n`);
	if (answered === 0) {
		request.socket.destroy();
		return;
	}
	const { location = undefined, afterMs = 0 } = conduct.kind === "answer" ? conduct : {};
	const answer = () => response.writeHead(answered, location === undefined ? {} : { location }).end();
	if (afterMs > 0) setTimeout(answer, afterMs);
	else answer();
}

function decide(conduct: Conduct): Pick<Receipt, "answered" | "taken"> {
	switch (conduct.kind) {
		case "answer":
			return { answered: conduct.status, taken: conduct.status >= 200 && conduct.status < 300 };
		case "flaky": {
			if (Math.random() >= conduct.share) return { answered: 204, taken: true };
			const faults = [
				{ answered: 500, taken: false },
				{ answered: 503, taken: false },
				{ answered: 404, taken: false },
				{ answered: 0, taken: false },
				// Accepted, but the answer is lost: the sender has to repeat.
				{ answered: 0, taken: true },
			];
			return faults[Math.floor(Math.random() * faults.length)] ?? { answered: 500, taken: false };
		}
	}
}

type Examined = Omit<Receipt, "answered" | "taken">;

function examine(path: string, request: IncomingMessage, body: Buffer, atMs: number): Examined {
	const headers = Object.fromEntries(Object.entries(request.headers).map(([name, value]) => [name, String(value)]));
	const text = (name: string) => headers[name] ?? "";
	const signatures = findSigners(headers, body, secretsOf.get(path) ?? []);
	const parsed = readBody(body);
	const t = text("webhook-timestamp");
	const next = headers[NEXT];
	const faults = [
		...(text("webhook-id") === text("x-service-delivery") ? [] : ["webhook-id is not X-Service-Delivery"]),
		...(text("x-service-delivery") === "" ? ["there is no X-Service-Delivery"] : []),
		...(readFields(text(MAIN)).t === t ? [] : ["webhook-timestamp is not the signature's time"]),
		...(next === undefined || readFields(next).t === t ? [] : ["the two signatures have different times"]),
		...(parsed.event === text("x-service-event") ? [] : ["X-Service-Event is not the body's event"]),
	];
	const isKnown = [signatures.main, ...signatures.standard].every((name) => name !== null) && signatures.next !== null;
	return {
		path,
		atMs,
		deliveryId: text("x-service-delivery"),
		event: text("x-service-event"),
		docId: parsed.docId ?? "",
		attempt: Number(text("x-service-attempt")),
		occurredAtMs: Date.parse(parsed.occurredAt ?? ""),
		bodySha256: createHash("sha256").update(body).digest("hex"),
		ageSeconds: Math.abs(atMs / 1000 - Number(readFields(text(MAIN)).t)),
		...signatures,
		...(isKnown ? {} : { raw: { headers, body: body.toString() } }),
		faults,
	};
}

function readBody(body: Buffer): { event?: string; docId?: string; occurredAt?: string } {
	try {
		return JSON.parse(body.toString()) as { event?: string; docId?: string; occurredAt?: string };
	} catch {
		// A body that is not JSON has no event, which is recorded as a fault.
		return {};
	}
}

server.listen(0, "127.0.0.1", () => {
	const address = server.address();
	if (typeof address !== "object" || !address) throw new Error("the system gave no port");
	console.log(JSON.stringify({ msg: "ready", url: `http://127.0.0.1:${address.port}` }));
});
process.on("SIGTERM", () => {
	server.close();
	server.closeAllConnections();
	closeSync(ledger);
	process.exit(0);
});
