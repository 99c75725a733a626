/** Access tokens of callers that send their client id and secret by HTTP Basic: fetched once, and kept until shortly before they expire. */
import { createHash } from "node:crypto";

type Forward = (request: Request) => Promise<Response>;
type Kept = { readonly token: string; readonly until: number };

const KEPT_MAX = 1_000;
const EARLY_MS = 60_000;

export type BasicTokens = {
	/** Sends a request with the bearer token, or with the token of the client. A refusal of the client is the answer. */
	readonly send: (authorization: string, request: Request, forward: Forward, baseUrl: string) => Promise<Response>;
};

export function createTokens(now: () => number = () => performance.now()): BasicTokens {
	const kept = new Map<string, Kept>();
	return {
		async send(authorization, request, forward, baseUrl) {
			if (!/^basic /i.test(authorization)) {
				request.headers.set("authorization", authorization);
				return forward(request);
			}
			const name = createHash("sha256").update(authorization).digest("base64");
			const known = kept.get(name);
			if (known && known.until > now()) {
				request.headers.set("authorization", `Bearer ${known.token}`);
				const answer = await forward(request);
				// It may have been revoked meanwhile; the next call gets another one.
				if (answer.status === 401) kept.delete(name);
				return answer;
			}
			const body = new URLSearchParams({ grant_type: "client_credentials" });
			const headers = { authorization, accept: "application/json" };
			const answer = await forward(new Request(`${baseUrl}/v1/auth/token`, { method: "POST", headers, body }));
			if (!answer.ok) return answer;
			const { access_token: token, expires_in: seconds } = (await answer.json()) as {
				access_token: string;
				expires_in: number;
			};
			if (kept.size >= KEPT_MAX) kept.clear();
			kept.set(name, { token, until: now() + seconds * 1_000 - EARLY_MS });
			request.headers.set("authorization", `Bearer ${token}`);
			return forward(request);
		},
	};
}
