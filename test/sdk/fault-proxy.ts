/** A proxy between a client library and the service that causes the faults of a case. The case is the first segment of the path. */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";

export type Fault = {
	readonly on?: "token";
	readonly skip?: number;
	readonly times?: number;
	readonly status?: number;
	readonly slug?: string;
	/** Seconds. */
	readonly retryAfter?: number;
	readonly members?: Readonly<Record<string, unknown>>;
	readonly late?: true;
	readonly html?: true;
	readonly location?: string;
	readonly cut?: "before" | "after" | "body";
	readonly hang?: true;
	readonly badToken?: true;
	readonly expiresIn?: number;
	readonly add?: Readonly<Record<string, unknown>>;
	readonly endStreamAfter?: number;
};

export type SeenRequest = {
	readonly method: string;
	/** With the query, without the case. */
	readonly path: string;
	readonly headers: Readonly<Record<string, string>>;
	readonly isToken: boolean;
};

export type FaultProxy = {
	/** The base URL of a case, whose faults are caused in order. */
	readonly open: (faults: readonly Fault[]) => { readonly baseUrl: string; readonly seen: readonly SeenRequest[] };
	readonly stop: () => Promise<void>;
};

type OpenCase = {
	readonly faults: { readonly fault: Fault; skip: number; left: number }[];
	readonly seen: SeenRequest[];
};

/** Between the last event of a stream and its break. */
const READING_MS = 200;

const HOP_HEADERS = new Set([
	"connection",
	"keep-alive",
	"transfer-encoding",
	"content-length",
	"host",
	"content-encoding",
]);

export async function startFaultProxy(serviceUrl: string): Promise<FaultProxy> {
	const cases: OpenCase[] = [];
	const server = createServer((request, response) => {
		answer(serviceUrl, cases, request, response).catch(() => response.destroy());
	});
	await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
	const address = server.address();
	const port = typeof address === "object" && address ? address.port : 0;
	return {
		open(faults) {
			const opened: OpenCase = {
				faults: faults.map((fault) => ({ fault, skip: fault.skip ?? 0, left: fault.times ?? 1 })),
				seen: [],
			};
			cases.push(opened);
			return { baseUrl: `http://127.0.0.1:${port}/${cases.length - 1}`, seen: opened.seen };
		},
		stop: () =>
			new Promise((stopped) => {
				server.close(() => stopped());
				server.closeAllConnections();
			}),
	};
}

async function answer(
	serviceUrl: string,
	cases: readonly OpenCase[],
	request: IncomingMessage,
	response: ServerResponse,
): Promise<void> {
	const [, number, path] = /^\/(\d+)(\/.*)$/.exec(request.url ?? "") ?? [];
	const opened = cases[Number(number)];
	if (!opened || path === undefined) {
		response.writeHead(404).end();
		return;
	}
	const chunks: Buffer[] = [];
	for await (const chunk of request) chunks.push(chunk as Buffer);
	const headers = Object.fromEntries(Object.entries(request.headers).map(([name, value]) => [name, String(value)]));
	const isToken = path.startsWith("/v1/auth/token");
	opened.seen.push({ method: request.method ?? "", path, headers, isToken });

	const fault = takeFault(opened, isToken);
	if (fault.hang) return;
	if (fault.cut === "before") return void request.socket.destroy();
	if (fault.status !== undefined && !fault.late) return refuse(response, fault, {});
	const sent = Object.fromEntries(Object.entries(headers).filter(([name]) => !HOP_HEADERS.has(name)));
	const reply = await fetch(`${serviceUrl}${path}`, {
		method: request.method ?? "GET",
		headers: {
			...sent,
			"accept-encoding": "identity",
			...(fault.badToken ? { authorization: "Bearer worn.out.token" } : {}),
		},
		...(chunks.length > 0 ? { body: Buffer.concat(chunks) } : {}),
		redirect: "manual",
	});
	const kept = Object.fromEntries([...reply.headers].filter(([name]) => !HOP_HEADERS.has(name)));
	if (reply.headers.get("content-type")?.startsWith("text/event-stream")) {
		response.writeHead(reply.status, kept);
		return passStream(reply, response, fault.endStreamAfter);
	}
	const body = Buffer.from(await reply.arrayBuffer());
	if (fault.cut === "after") return void request.socket.destroy();
	if (fault.status !== undefined) return refuse(response, fault, JSON.parse(body.toString()));
	const changed = { ...fault.add, ...(fault.expiresIn === undefined ? {} : { expires_in: fault.expiresIn }) };
	const bytes =
		Object.keys(changed).length === 0
			? body
			: Buffer.from(JSON.stringify({ ...JSON.parse(body.toString()), ...changed }));
	if (fault.cut === "body") {
		response.writeHead(reply.status, { ...kept, "content-length": String(bytes.length) });
		response.write(bytes.subarray(0, bytes.length >> 1), () => request.socket.destroy());
		return;
	}
	response.writeHead(reply.status, bytes.length > 0 ? { ...kept, "content-length": String(bytes.length) } : kept);
	response.end(bytes);
}

/** The first fault that concerns a request; an empty one if none does. */
function takeFault({ faults }: OpenCase, isToken: boolean): Fault {
	for (const one of faults) {
		if ((one.fault.on === "token") !== isToken || one.left === 0) continue;
		if (one.skip > 0) {
			one.skip--;
			continue;
		}
		one.left--;
		return one.fault;
	}
	return {};
}

/** `done` is the service's answer, if it did the work. */
function refuse(response: ServerResponse, fault: Fault, done: Readonly<Record<string, unknown>>): void {
	const { status = 500, slug, retryAfter, members, html, location } = fault;
	const headers = {
		"x-request-id": "request-of-the-proxy",
		...(retryAfter === undefined ? {} : { "retry-after": String(retryAfter) }),
		...(location === undefined ? {} : { location }),
	};
	if (html || slug === undefined) {
		response.writeHead(status, { ...headers, "content-type": "text/html" }).end("<h1>Not the service</h1>");
		return;
	}
	const problem = {
		...{ type: `https://sello.test/errors/${slug}`, title: "Caused by the proxy", status, detail: "By the proxy." },
		...{ instance: "/", requestId: "request-of-the-proxy", docId: done.docId, trackId: done.trackId, ...members },
	};
	response.writeHead(status, { ...headers, "content-type": "application/problem+json" }).end(JSON.stringify(problem));
}

async function passStream(
	reply: Response,
	response: ServerResponse,
	eventsMax = Number.POSITIVE_INFINITY,
): Promise<void> {
	const decoder = new TextDecoder();
	let text = "";
	let events = 0;
	const reader = reply.body?.getReader();
	response.on("close", () => void reader?.cancel());
	for (;;) {
		const { done, value } = (await reader?.read()) ?? { done: true, value: undefined };
		if (done) return void response.end();
		text += decoder.decode(value, { stream: true });
		for (let end = text.indexOf("\n\n"); end !== -1; end = text.indexOf("\n\n")) {
			const message = text.slice(0, end + 2);
			text = text.slice(end + 2);
			const isLast = message.includes("\ndata:") && ++events >= eventsMax;
			// A body that breaks loses what its client has received and not yet read, so the client gets time to read.
			if (isLast) return void response.write(message, () => setTimeout(() => response.destroy(), READING_MS));
			response.write(message);
		}
	}
}
