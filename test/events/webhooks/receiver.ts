/** A tenant's receiver: a real HTTP server on loopback that keeps what arrives and verifies it on arrival. */
import { createHmac, timingSafeEqual } from "node:crypto";
import { createServer, type IncomingHttpHeaders, type ServerResponse } from "node:http";

export type Received = {
	readonly atMs: number;
	readonly headers: IncomingHttpHeaders;
	readonly body: Buffer;
	/** Judged on arrival, with the secret that the receiver had then. */
	readonly verified: boolean;
};

type Answer = number | ((response: ServerResponse) => void);

export type Receiver = {
	readonly host: string;
	readonly url: string;
	readonly received: Received[];
	/** The answer to each request from now on, by its number. */
	answer: (n: number) => Answer;
	secret: string;
	readonly close: () => Promise<void>;
};

export async function startReceiver(answer: (n: number) => Answer = () => 204): Promise<Receiver> {
	const received: Received[] = [];
	const server = createServer((request, response) => {
		const chunks: Buffer[] = [];
		request.on("data", (chunk: Buffer) => chunks.push(chunk));
		request.on("end", () => {
			const body = Buffer.concat(chunks);
			const verified = verify(receiver.secret, String(request.headers["x-service-signature"]), body);
			received.push({ atMs: performance.now(), headers: request.headers, body, verified });
			const what = receiver.answer(received.length);
			if (typeof what === "number") response.writeHead(what).end();
			else what(response);
		});
	});
	await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
	const address = server.address();
	if (address === null || typeof address === "string") throw new Error("expected a TCP port");
	const host = `127.0.0.1:${address.port}`;
	const receiver: Receiver = {
		host,
		url: `http://${host}/hooks/ecf`,
		received,
		answer,
		secret: "",
		close: async () => {
			server.closeAllConnections();
			await new Promise((done) => server.close(done));
		},
	};
	return receiver;
}

/** The rules of the specification, implemented independently of the code that signs. */
function verify(secret: string, header: string, body: Buffer): boolean {
	const fields = Object.fromEntries(header.split(",").map((part) => part.split("=", 2)));
	// The specification allows 300 seconds; an attempt signed for itself is never more than a few seconds old.
	if (Math.abs(Date.now() / 1000 - Number(fields.t)) > 5) return false;
	const signed = Buffer.concat([Buffer.from(`${fields.t}.`), body]);
	const expected = createHmac("sha256", Buffer.from(secret, "utf8")).update(signed).digest("hex");
	const given = String(fields.v1);
	return given.length === expected.length && timingSafeEqual(Buffer.from(given), Buffer.from(expected));
}
