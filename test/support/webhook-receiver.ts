/** A customer's webhook receiver on a loopback port: keeps the requests and answers as the test says. */
import { createServer } from "node:http";

export type ReceivedWebhook = {
	readonly path: string;
	readonly headers: Readonly<Record<string, string>>;
	/** The raw bytes that the signature covers. */
	readonly body: Buffer;
	readonly receivedAtMs: number;
};

export type WebhookReceiver = {
	/** `host:port`, for the allow-list. */
	readonly host: string;
	readonly received: readonly ReceivedWebhook[];
	/** Sets the answer to requests of one path; 204 by default. */
	readonly answer: (path: string, status: number | ((n: number) => number)) => void;
	readonly stop: () => void;
};

export async function startReceiver(): Promise<WebhookReceiver> {
	const received: ReceivedWebhook[] = [];
	const answers = new Map<string, number | ((n: number) => number)>();
	const counts = new Map<string, number>();
	const server = createServer((request, response) => {
		const chunks: Buffer[] = [];
		request.on("data", (chunk: Buffer) => chunks.push(chunk));
		request.on("end", () => {
			const path = request.url ?? "/";
			const headers: Record<string, string> = {};
			for (const [name, value] of Object.entries(request.headers)) headers[name] = String(value);
			received.push({ path, headers, body: Buffer.concat(chunks), receivedAtMs: Date.now() });
			const n = (counts.get(path) ?? 0) + 1;
			counts.set(path, n);
			const answer = answers.get(path) ?? 204;
			response.writeHead(typeof answer === "number" ? answer : answer(n)).end();
		});
	});
	await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
	const address = server.address();
	const port = typeof address === "object" && address ? address.port : 0;
	return {
		host: `127.0.0.1:${port}`,
		received,
		answer: (path, status) => void answers.set(path, status),
		stop: () => {
			server.close();
			server.closeAllConnections();
		},
	};
}
