/**
 * The service's MCP endpoint over standard input and output, for agents that start programs: each line is a JSON-RPC message, which is posted
 * to `/mcp` with the account's credentials. Source: Model Context Protocol, Transports.
 */
import { createInterface } from "node:readline";
import { type Context, reasonOf } from "../context";

const RENEW_BEFORE_MS = 60_000;
const PARSE_ERROR = -32_700;
const INTERNAL_ERROR = -32_603;

type Message = {
	readonly id?: string | number | null;
	readonly method?: string;
	readonly result?: { readonly protocolVersion?: string };
	/** Of a problem document. */
	readonly title?: string;
	readonly detail?: string;
};

export async function serveMcp(context: Context): Promise<undefined> {
	const { account } = context;
	const sello = context.connect();
	let token: { readonly text: string; readonly renewAt: number } | undefined;
	let protocol: string | undefined;

	async function readToken(): Promise<string | undefined> {
		const { clientId, clientSecret } = account;
		if (clientId === undefined || clientSecret === undefined) return undefined;
		if (token && Date.now() < token.renewAt) return token.text;
		const grant = { grant_type: "client_credentials", client_id: clientId, client_secret: clientSecret } as const;
		const { access_token: text, expires_in: seconds } = await sello.tokens.create(grant);
		token = { text, renewAt: Date.now() + seconds * 1_000 - RENEW_BEFORE_MS };
		return text;
	}

	async function forward(line: string): Promise<string[]> {
		const authorization = await readToken();
		const answer = await fetch(`${account.url}/mcp`, {
			method: "POST",
			headers: {
				"content-type": "application/json",
				accept: "application/json, text/event-stream",
				"x-api-key": account.apiKey ?? "",
				...(authorization === undefined ? {} : { authorization: `Bearer ${authorization}` }),
				...(protocol === undefined ? {} : { "mcp-protocol-version": protocol }),
			},
			body: line,
		});
		const text = await answer.text();
		const isStream = answer.headers.get("content-type")?.startsWith("text/event-stream");
		const bodies = isStream ? [...text.matchAll(/^data: ?(.+)$/gm)].map(([, data = ""]) => data) : [text];
		const messages = bodies.map((body) => body.trim()).filter(Boolean);
		// A problem document is no message of the protocol.
		if (!answer.ok && !messages.some((one) => one.includes('"jsonrpc"')))
			throw new Error(toReason(messages[0], answer.status));
		return messages.map((one) => JSON.stringify(JSON.parse(one)));
	}

	for await (const line of createInterface({ input: process.stdin })) {
		if (line.trim() === "") continue;
		const { id, method } = readMessage(line);
		try {
			const messages = await forward(line);
			if (method === "initialize") protocol = readMessage(messages[0] ?? "").result?.protocolVersion;
			for (const message of messages) process.stdout.write(`${message}\n`);
		} catch (error) {
			if (id === undefined) continue;
			const message = error instanceof SyntaxError ? error.message : reasonOf(error);
			const code = id === null ? PARSE_ERROR : INTERNAL_ERROR;
			process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", id, error: { code, message } })}\n`);
		}
	}
	return undefined;
}

/** A problem document in one line. */
function toReason(body: string | undefined, status: number): string {
	const { title, detail } = readMessage(body ?? "");
	if (title === undefined) return body ?? `HTTP ${status}`;
	return detail === undefined ? title : `${title}: ${detail}`;
}

function readMessage(line: string): Message {
	try {
		return (JSON.parse(line) ?? {}) as Message;
	} catch {
		return { id: null };
	}
}
