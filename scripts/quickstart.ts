/**
 * The whole flow in one command: install, start, register a company, get a token, issue an invoice, see its verdict and the verified
 * webhook.
 * Uses only a temporary directory and free ports, and leaves the signed XML there for inspection.
 *
 * It imports only modules of the runtime and of `src/cli`, because it runs before dependencies are installed.
 */
import { createHmac, timingSafeEqual } from "node:crypto";
import { mkdtempSync } from "node:fs";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PROGRAMS, takeOrder } from "../src/cli";
import { installDependencies } from "./install-dependencies";

const ROOT = join(import.meta.dir, "..");
const DEADLINE_MS = 55_000;
const DEMO_KEY = "ak_demo_public0000000000000000";

type Json = Record<string, unknown>;
type Received = { readonly event: string; readonly verified: boolean; readonly body: string };

function say(text: string): void {
	console.log(text);
}

/** Starts the service on a free port and resolves with its address when it is ready. */
async function startService(dataDir: string, receiver: string) {
	const child = Bun.spawn([process.execPath, "src/main.ts"], {
		cwd: ROOT,
		stdout: "pipe",
		stderr: "inherit",
		env: {
			PATH: process.env.PATH ?? "",
			HOME: process.env.HOME ?? "",
			PORT: "0",
			DATA_DIR: dataDir,
			LOG_LEVEL: "warn",
			WEBHOOK_ALLOW: receiver,
		},
	});
	let buffered = "";
	for await (const chunk of child.stdout) {
		buffered += new TextDecoder().decode(chunk);
		const ready = buffered.split("\n").find((line) => line.startsWith("{") && line.includes('"msg":"ready"'));
		if (ready) return { child, url: (JSON.parse(ready) as { url: string }).url };
	}
	throw new Error(`the service did not start:\n${buffered}`);
}

/** A receiver as a customer would write it: it verifies the signature over the raw bytes before trusting the content. */
async function startReceiver(secret: () => string) {
	const received: Received[] = [];
	let notify = () => {};
	const server = createServer((request: IncomingMessage, response: ServerResponse) => {
		const chunks: Buffer[] = [];
		request.on("data", (chunk: Buffer) => chunks.push(chunk));
		request.on("end", () => {
			const body = Buffer.concat(chunks);
			const verified = verify(String(request.headers["x-service-signature"]), body, secret());
			received.push({ event: String(request.headers["x-service-event"]), verified, body: body.toString() });
			response.writeHead(verified ? 204 : 400).end();
			notify();
		});
	});
	await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
	const address = server.address();
	const port = typeof address === "object" && address ? address.port : 0;
	return {
		host: `127.0.0.1:${port}`,
		next: async () => {
			while (received.length === 0) await new Promise<void>((heard) => (notify = heard));
			return received[0] as Received;
		},
		stop: () => server.close(),
	};
}

function verify(header: string, body: Buffer, secret: string): boolean {
	const parts = new Map(header.split(",").map((part) => part.split("=", 2) as [string, string]));
	const t = parts.get("t") ?? "";
	if (Math.abs(Date.now() / 1000 - Number(t)) > 300) return false;
	const expected = createHmac("sha256", secret).update(`${t}.`).update(body).digest();
	const given = Buffer.from(parts.get("v1") ?? "", "hex");
	return given.length === expected.length && timingSafeEqual(given, expected);
}

async function call(url: string, init: RequestInit, expected: number): Promise<Json> {
	const response = await fetch(url, init);
	const text = await response.text();
	if (response.status !== expected)
		throw new Error(`${init.method ?? "GET"} ${url} answered ${response.status}: ${text}`);
	return JSON.parse(text) as Json;
}

function post(headers: Record<string, string>, body: unknown): RequestInit {
	return {
		method: "POST",
		headers: { "content-type": "application/json; charset=utf-8", ...headers },
		body: JSON.stringify(body),
	};
}

async function main(): Promise<void> {
	const startedAt = performance.now();
	installDependencies("quiet");
	const dataDir = mkdtempSync(join(tmpdir(), "sello-quickstart-"));
	let secret = "";
	const receiver = await startReceiver(() => secret);
	const { child, url } = await startService(dataDir, receiver.host);
	try {
		say(`service      ${url} (its own PostgreSQL and authority simulator included)`);
		const apiKey = { "x-api-key": DEMO_KEY };
		const webhookUrl = `http://${receiver.host}/hooks/ecf`;
		const company = await call(
			`${url}/v1/company`,
			post(apiKey, { rnc: "990000001", webhooks: [{ url: webhookUrl }] }),
			201,
		);
		const webhooks = company.webhooks as { secret: string }[];
		secret = webhooks[0]?.secret ?? "";
		const credentials = company.credentials as { clientId: string; clientSecret: string };
		say(`company      ${company.tenantId} (${company.name}, RNC ${company.rnc})`);

		const token = await call(
			`${url}/v1/auth/token`,
			post(apiKey, {
				grant_type: "client_credentials",
				client_id: credentials.clientId,
				client_secret: credentials.clientSecret,
			}),
			200,
		);
		const bearer = { ...apiKey, authorization: `Bearer ${token.access_token}` };
		say(`token        ${token.token_type}, valid ${token.expires_in} s`);

		const invoice = {
			type: "31",
			encf: "E310000000001",
			company: { rnc: "990000001", name: String(company.name) },
			customer: { rnc: "990000002", name: "CLIENTE SRL" },
			lines: [
				{
					line_number: 1,
					description: "Cemento gris 42.5kg",
					quantity: "10",
					unit_price: "450.00",
					subtotal: "4500.00",
				},
			],
			totals: { subtotal: "4500.00", tax: "810.00", grand_total: "5310.00" },
		};
		const headers = { ...bearer, "idempotency-key": crypto.randomUUID() };
		const acknowledgement = await call(`${url}/v1/invoices`, post(headers, invoice), 202);
		const print = acknowledgement.print as { securityCode: string; qrUrl: string };
		say(`202          ${acknowledgement.docId} ${acknowledgement.encf}, security code ${print.securityCode}`);

		const statusUrl = `${url}/v1/invoices/${acknowledgement.docId}/status`;
		let status = await call(statusUrl, { headers: bearer }, 200);
		while (status.status === "pending") {
			await Bun.sleep(100);
			status = await call(statusUrl, { headers: bearer }, 200);
		}
		say(`verdict      ${status.status} ${JSON.stringify(status.authority)}`);
		if (status.status !== "accepted") throw new Error("the invoice was not accepted");

		const webhook = await receiver.next();
		say(`webhook      ${webhook.event}, signature ${webhook.verified ? "verified" : "WRONG"}: ${webhook.body}`);
		if (!webhook.verified || webhook.event !== "invoice.accepted")
			throw new Error("the webhook was not the expected one");

		const xml = await fetch(`${url}/v1/invoices/${acknowledgement.docId}/xml`, { headers: bearer });
		const xmlPath = join(dataDir, `${acknowledgement.encf}.xml`);
		await Bun.write(xmlPath, await xml.arrayBuffer());
		say(`signed XML   ${xmlPath}`);
		say(`archive      ${join(dataDir, "archive")} (sealed, write-once, one object a document)`);
		say(`done in ${((performance.now() - startedAt) / 1000).toFixed(1)} s`);
	} finally {
		child.kill("SIGTERM");
		await child.exited;
		receiver.stop();
	}
}

takeOrder(PROGRAMS.quickstart);
const timer = setTimeout(() => {
	console.error(`the quickstart did not end within ${DEADLINE_MS / 1000} s`);
	process.exit(1);
}, DEADLINE_MS);
await main();
clearTimeout(timer);
process.exit(0);
