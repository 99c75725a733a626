/** `POST /mcp`: streamable HTTP without sessions, for clients of both generations of the protocol. */
import { Type } from "@sinclair/typebox";
import { memoize } from "../../platform/concurrency";
import {
	checkBody,
	NEEDS_KEY_ONLY,
	type Operation,
	PRIVATE_NO_STORE,
	parseJson,
	readBytes,
} from "../../platform/operation";
import { msg, Problem } from "../../platform/problem";
import { createTokens } from "./basic-tokens";
import type { McpDeps } from "./server";

const BODY_BYTES_MAX = 1024 * 1024;

const Message = Type.Object(
	{
		jsonrpc: Type.Literal("2.0", { description: "The version of JSON-RPC." }),
		id: Type.Optional(Type.Union([Type.String(), Type.Number()], { description: "Absent in notifications." })),
		method: Type.Optional(Type.String({ description: "Such as `initialize`, `tools/list` or `tools/call`." })),
		params: Type.Optional(Type.Record(Type.String(), Type.Unknown(), { description: "Of the method." })),
		result: Type.Optional(Type.Unknown({ description: "Of the method." })),
		error: Type.Optional(Type.Unknown({ description: "`code` and `message`." })),
	},
	{ $id: "McpMessage", description: "A message of JSON-RPC 2.0." },
);

export function mcpOperation(deps: McpDeps): Operation {
	// The protocol takes 30 MiB, so it is loaded at the first call.
	const server = memoize(async () => (await import("./server")).createMcpServer(deps));
	const tokens = createTokens();
	const { origin } = new URL(deps.baseUrl);
	return {
		id: "postMcp",
		sdk: null,
		method: "POST",
		path: "/mcp",
		tag: "Agents",
		summary: "Call a tool as an agent",
		description:
			"The Model Context Protocol over HTTP, without sessions. Tools call operations of this interface with the caller's credentials: the API key, and " +
			"for tools of a company its token, or its client id and secret by HTTP Basic. Tools read, and prepare invoices for a person's approval. Web pages " +
			"of other sites are refused.",
		credentials: NEEDS_KEY_ONLY,
		limit: "read",
		body: {
			schema: Message,
			limitBytes: BODY_BYTES_MAX,
			required: true,
			mediaTypes: ["application/json"],
			example: {
				...{ jsonrpc: "2.0", id: 1, method: "tools/call" },
				params: { name: "registry_lookup", arguments: { document: "131880681" } },
			},
		},
		answers: {
			200: {
				description: "The answer, or a stream of events where the client asks for one.",
				schema: Message,
				alsoMediaTypes: ["text/event-stream"],
				example: { jsonrpc: "2.0", id: 1, result: { content: [{ type: "text", text: "…" }] } },
			},
			202: { description: "A notification was taken. No body." },
		},
		problems: ["malformed-json", "validation-error", "forbidden"],
		async handle(call) {
			const { headers } = call.request;
			const from = headers.get("origin");
			if (from !== null && from !== origin)
				throw new Problem("forbidden", { detail: msg`Pages of other sites may not call this address.` });
			const bytes = await readBytes(call);
			// One message: neither generation of the protocol has batches.
			const message = checkBody<object>(parseJson(bytes), Message, Number.POSITIVE_INFINITY);
			const { forward } = call;
			if (!forward) throw new Error("requests cannot be forwarded");
			const authorization = headers.get("authorization");
			const language = headers.get("accept-language");
			const send = async (request: Request, hasCredentials = true): Promise<Response> => {
				if (!request.headers.has("accept"))
					request.headers.set("accept", "application/json, text/markdown;q=0.9, */*;q=0.1");
				if (language !== null) request.headers.set("accept-language", language);
				request.headers.set("x-request-id", call.requestId);
				if (!hasCredentials) return forward(request);
				request.headers.set("x-api-key", headers.get("x-api-key") ?? "");
				if (authorization === null) return forward(request);
				return tokens.send(authorization, request, forward, deps.baseUrl);
			};
			const answer = await (await server()).answer(call.request, message, send);
			if (answer.status === 400) throw await refuse(answer);
			for (const [name, value] of Object.entries(PRIVATE_NO_STORE)) answer.headers.set(name, value);
			answer.headers.delete("connection");
			return answer;
		},
	};
}

/** What the protocol's library refuses before any method is called, as a problem like those of other operations. */
async function refuse(answer: Response): Promise<Problem> {
	const { error } = (await answer.json()) as { readonly error?: { readonly message?: string } };
	const detail = msg`The protocol refuses the message: ${error?.message ?? "no reason given"}`;
	return new Problem("validation-error", { faults: [{ pointer: "", code: "invalid-format", detail }] });
}
