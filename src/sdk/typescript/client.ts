/**
 * How a request is made: credentials, attempts, time limits, answers. `sello.ts` makes methods of it.
 *
 *   plan + arguments ──▶ request ──▶ attempt ──▶ answer ──▶ JSON, page or file
 *                                      ▲  │
 *                                      └──┘ 401: a new token, once; busy or broken: after a pause, twice
 */
import { ApiError, ConnectionError, type Problem, SelloError, slugOf, TimeoutError, toApiError } from "./errors";

export type ClientOptions = {
	/** Address of the service. Default: `SELLO_URL`. */
	baseUrl?: string;
	/** Identifies the customer. Default: `SELLO_API_KEY`. Never in a browser. */
	apiKey?: string;
	/** Identifies the company, with `clientSecret`. Defaults: `SELLO_CLIENT_ID`, `SELLO_CLIENT_SECRET`. Never in a browser. */
	clientId?: string;
	clientSecret?: string;
	/** An access token in place of client id and secret. It is not renewed. */
	accessToken?: string;
	/** The language of problems. Default: English. */
	language?: "es" | "en";
	/** Repeats of a request that fails. Default: 2. */
	maxRetries?: number;
	/** Milliseconds for one attempt. Default: 30,000. */
	timeoutMs?: number;
	/** In place of the global `fetch`. */
	fetch?: (url: string, init: RequestInit) => Promise<Response>;
	/** For tests: in place of the system's clock. */
	clock?: Clock;
};

/** Milliseconds. */
export type Clock = { now: () => number; sleep: (ms: number, signal?: AbortSignal) => Promise<void> };

export type CallOptions = {
	/** Milliseconds for one attempt. */
	timeoutMs?: number;
	signal?: AbortSignal;
};

/** What a method's options may have; the others are parameters of the query. */
type Options = CallOptions & {
	idempotencyKey?: string;
	ifMatch?: string;
	wait?: number;
	handling?: string;
	scenario?: string;
	contentType?: string;
	[parameter: string]: unknown;
};

export type Plan = {
	method: string;
	path: string;
	body: "json" | "raw" | undefined;
	sendsKey: boolean;
	sendsToken: boolean;
	takesIdempotencyKey: boolean;
	result: "json" | "page" | "file";
	/** The member of a page that holds the items, or the media type of a raw body. */
	further: string;
};

/** Reads `POST /v1/invoices bkti`: b JSON body, r raw body, k key, t token, i idempotency key, p page, f file. */
export function readPlan(text: string): Plan {
	const [method = "", path = "", flags = "", further = ""] = text.split(" ");
	const has = (flag: string) => flags.includes(flag);
	return {
		...{ method, path, further },
		body: has("b") ? "json" : has("r") ? "raw" : undefined,
		...{ sendsKey: has("k"), sendsToken: has("t"), takesIdempotencyKey: has("i") },
		result: has("p") ? "page" : has("f") ? "file" : "json",
	};
}

/** A request before credentials are added. */
export type Outgoing = {
	method: string;
	path: string;
	headers: Record<string, string>;
	body?: string | Uint8Array;
	sendsKey: boolean;
	sendsToken: boolean;
	idempotencyKey?: string;
	/** May be done twice, although it is a POST without a key. */
	isHarmless?: true;
	timeoutMs?: number;
	signal?: AbortSignal;
	/** Default: the client's. */
	maxRetries?: number;
};

const TIMEOUT_MS = 30_000;
/** An answer after `wait` seconds needs time to arrive. */
const AFTER_WAIT_MS = 10_000;
const RENEW_BEFORE_MS = 60_000;
const RETRY_AFTER_MAX_MS = 60_000;
/** So that clients that were refused together do not return together. */
const SPREAD_MS = 250;

const VERSION = "{{version}}";

export class Client {
	readonly #options: ClientOptions;
	readonly #baseUrl: string;
	readonly clock: Clock;
	#token: { text: string; renewAt: number } | undefined;
	#renewal: Promise<string> | undefined;

	/** Throws a SelloError without an address, and for a key or secret in a browser. */
	constructor(options: ClientOptions = {}) {
		const env = readEnvironment();
		const ofCompany = options.accessToken === undefined;
		this.#options = {
			...options,
			apiKey: options.apiKey ?? env("SELLO_API_KEY"),
			clientId: options.clientId ?? (ofCompany ? env("SELLO_CLIENT_ID") : undefined),
			clientSecret: options.clientSecret ?? (ofCompany ? env("SELLO_CLIENT_SECRET") : undefined),
		};
		const { apiKey, clientSecret } = this.#options;
		const { document } = globalThis as { document?: unknown };
		if (document !== undefined && (apiKey || clientSecret)) {
			throw new SelloError(
				"A page must not hold a key or a secret: its readers can see them. Use accessToken, or your server.",
			);
		}
		this.#baseUrl = (options.baseUrl ?? env("SELLO_URL") ?? "").replace(/\/+$/, "");
		if (!/^https?:\/\/[^/]/.test(this.#baseUrl)) {
			throw new SelloError("Give the service's address as baseUrl, or in SELLO_URL: http:// or https:// and a host.");
		}
		this.clock = options.clock ?? { now: () => Date.now(), sleep };
	}

	/** The request of a method with its arguments. Throws a SelloError for an argument that no path can hold. */
	prepare(plan: Plan, given: readonly unknown[]): Outgoing {
		const values = [...given];
		const path = plan.path.replace(/\{\w+\}/g, (name) => toSegment(name, values.shift()));
		const body = plan.body ? values.shift() : undefined;
		const options = { ...(values[0] as Options | undefined) };
		const headers: Record<string, string> = {};
		const take = <Name extends keyof Options & string>(name: Name): Options[Name] => {
			const value = options[name];
			delete options[name];
			return value;
		};
		const [signal, ifMatch, scenario, contentType] = [
			take("signal"),
			take("ifMatch"),
			take("scenario"),
			take("contentType"),
		];
		let timeoutMs = take("timeoutMs");
		if (ifMatch !== undefined) headers["if-match"] = ifMatch;
		if (scenario !== undefined) headers["x-sandbox-scenario"] = scenario;
		const seconds = Number(options.wait ?? 0);
		if (seconds > 0) timeoutMs ??= Math.max(this.#options.timeoutMs ?? TIMEOUT_MS, seconds * 1000 + AFTER_WAIT_MS);
		if (plan.method === "POST") {
			const preferences = [
				...(options.wait === undefined ? [] : [`wait=${take("wait")}`]),
				...(options.handling === undefined ? [] : [`handling=${take("handling")}`]),
			];
			if (preferences.length > 0) headers.prefer = preferences.join(", ");
		}
		const givenKey = take("idempotencyKey");
		const idempotencyKey = plan.takesIdempotencyKey ? (givenKey ?? crypto.randomUUID()) : undefined;
		if (idempotencyKey) headers["idempotency-key"] = idempotencyKey;
		if (body !== undefined) {
			headers["content-type"] =
				contentType ?? (plan.body === "json" ? "application/json; charset=utf-8" : plan.further);
		}
		headers.accept = plan.result === "file" ? "*/*" : "application/json";
		const query = new URLSearchParams();
		for (const [name, value] of Object.entries(options)) if (value !== undefined) query.set(name, String(value));
		const { method, sendsKey, sendsToken } = plan;
		return {
			...{ method, headers, sendsKey, sendsToken },
			path: query.size > 0 ? `${path}?${query}` : path,
			...(body === undefined
				? {}
				: { body: plan.body === "json" ? JSON.stringify(body) : (body as string | Uint8Array) }),
			...(idempotencyKey ? { idempotencyKey } : {}),
			...(timeoutMs === undefined ? {} : { timeoutMs }),
			...(signal ? { signal } : {}),
		};
	}

	/**
	 * Sends a request, again if that is safe. `read` reads the answer within the attempt, so that half an answer is repeated too.
	 * Throws: ApiError, ConnectionError, TimeoutError, and the reason of an aborted signal.
	 */
	async send<T>(outgoing: Outgoing, read: (answer: Response) => Promise<T>): Promise<T> {
		const isRepeatable = outgoing.isHarmless || outgoing.method !== "POST" || outgoing.idempotencyKey !== undefined;
		const maxRetries = outgoing.maxRetries ?? this.#options.maxRetries ?? 2;
		let mayRenew = outgoing.sendsToken && this.#options.clientId !== undefined;
		for (let retries = 0; ; ) {
			const authorization = outgoing.sendsToken ? await this.#readToken(outgoing.signal) : undefined;
			let pauseMs: number;
			try {
				return await this.#attempt(outgoing, authorization, read);
			} catch (error) {
				outgoing.signal?.throwIfAborted();
				if (error instanceof ApiError && error.status === 401 && mayRenew) {
					mayRenew = false;
					if (this.#token?.text === authorization) this.#token = undefined;
					continue;
				}
				const pause = toPause(error, isRepeatable, retries);
				if (pause === undefined || retries >= maxRetries) throw error;
				pauseMs = pause;
			}
			retries++;
			await this.clock.sleep(pauseMs, outgoing.signal);
		}
	}

	async #attempt<T>(outgoing: Outgoing, token: string | undefined, read: (answer: Response) => Promise<T>): Promise<T> {
		const { method, path, body, idempotencyKey, sendsKey } = outgoing;
		const { apiKey, language, fetch: given } = this.#options;
		const isInPage = (globalThis as { document?: unknown }).document !== undefined;
		const headers: Record<string, string> = {
			...outgoing.headers,
			...(sendsKey && apiKey ? { "x-api-key": apiKey } : {}),
			...(token ? { authorization: `Bearer ${token}` } : {}),
			...(language ? { "accept-language": language } : {}),
			...(isInPage ? {} : { "user-agent": `sello-typescript/${VERSION}` }),
		};
		const timeoutMs = outgoing.timeoutMs ?? this.#options.timeoutMs ?? TIMEOUT_MS;
		const timer = new AbortController();
		const timeout = setTimeout(() => timer.abort(), timeoutMs);
		const leave = () => timer.abort();
		outgoing.signal?.addEventListener("abort", leave, { once: true });
		const about = idempotencyKey === undefined ? {} : { idempotencyKey };
		try {
			const answer = await (given ?? fetch)(`${this.#baseUrl}${path}`, {
				...{ method, headers, redirect: "manual", signal: timer.signal },
				...(body === undefined ? {} : { body: body as string }),
			});
			if (answer.status >= 200 && answer.status < 300) return await read(answer);
			const retryAfter = readRetryAfter(answer.headers.get("retry-after"), this.clock.now());
			const requestId = answer.headers.get("x-request-id");
			throw toApiError(answer.status, await readProblem(answer), {
				...about,
				...(retryAfter === undefined ? {} : { retryAfter }),
				...(requestId === null ? {} : { requestId }),
			});
		} catch (error) {
			if (error instanceof SelloError) throw error;
			outgoing.signal?.throwIfAborted();
			if (timer.signal.aborted) throw new TimeoutError(`${method} ${path} had no answer in ${timeoutMs} ms.`, about);
			throw new ConnectionError(`${method} ${path} had no whole answer: ${describe(error)}`, {
				...about,
				cause: error,
			});
		} finally {
			clearTimeout(timeout);
			outgoing.signal?.removeEventListener("abort", leave);
		}
	}

	/** The access token, renewed a minute before it ends; calls at the same time share one request. */
	async #readToken(signal: AbortSignal | undefined): Promise<string | undefined> {
		const { accessToken, clientId, clientSecret } = this.#options;
		if (accessToken !== undefined || clientId === undefined) return accessToken;
		if (this.#token && this.clock.now() < this.#token.renewAt) return this.#token.text;
		this.#renewal ??= this.#renew(clientId, clientSecret ?? "").finally(() => {
			this.#renewal = undefined;
		});
		const token = await this.#renewal;
		signal?.throwIfAborted();
		return token;
	}

	async #renew(clientId: string, clientSecret: string): Promise<string> {
		const grant = { grant_type: "client_credentials", client_id: clientId, client_secret: clientSecret };
		const outgoing: Outgoing = {
			...{ method: "POST", path: "/v1/auth/token", body: JSON.stringify(grant), sendsKey: false, sendsToken: false },
			headers: { "content-type": "application/json", accept: "application/json" },
			isHarmless: true,
		};
		const answer = await this.send(outgoing, readJson);
		const { access_token: text, expires_in } = answer as { access_token: string; expires_in: number };
		this.#token = { text, renewAt: this.clock.now() + expires_in * 1000 - RENEW_BEFORE_MS };
		return text;
	}
}

/** Node.js names the reason in the cause: `ECONNREFUSED`. */
function describe(error: unknown): string {
	const { message, code, cause } = error as {
		message?: string;
		code?: string;
		cause?: { message?: string; code?: string };
	};
	return cause?.code ?? cause?.message ?? code ?? message ?? String(error);
}

/** Milliseconds before the next attempt; undefined if there must be none. */
function toPause(error: unknown, isRepeatable: boolean, retries: number): number | undefined {
	const jitter = Math.random() * 500 * 2 ** retries;
	if (!(error instanceof ApiError)) {
		const isBroken = error instanceof ConnectionError || error instanceof TimeoutError;
		return isBroken && isRepeatable ? jitter : undefined;
	}
	const { status, slug, retryAfter } = error;
	// What was refused for its rate was not done, so it may be repeated without a key.
	const isSafe =
		status === 429 || (isRepeatable && [408, 500, 502, 503].includes(status)) || slug === "idempotency-in-progress";
	if (!isSafe) return undefined;
	if (retryAfter === undefined) return jitter;
	return retryAfter * 1000 > RETRY_AFTER_MAX_MS ? undefined : retryAfter * 1000 + Math.random() * SPREAD_MS;
}

/** Seconds, from seconds or an HTTP date. Source: RFC 9110, 10.2.3. */
function readRetryAfter(text: string | null, nowMs: number): number | undefined {
	if (text === null) return undefined;
	if (/^\d+$/.test(text)) return Number(text);
	const at = Date.parse(text);
	return Number.isNaN(at) ? undefined : Math.max(0, (at - nowMs) / 1000);
}

async function readProblem(answer: Response): Promise<Problem> {
	const text = await answer.text();
	if (!/[/+]json/.test(answer.headers.get("content-type") ?? "")) return {};
	try {
		const problem: unknown = JSON.parse(text);
		return typeof problem === "object" && problem !== null ? (problem as Problem) : {};
	} catch {
		return {};
	}
}

export async function readJson(answer: Response): Promise<unknown> {
	const text = await answer.text();
	return text === "" ? null : JSON.parse(text);
}

/** One segment of a path. `.` and `..` would name another path, even escaped. */
function toSegment(name: string, value: unknown): string {
	const text = String(value ?? "");
	if (/^\.{0,2}$/.test(text)) throw new SelloError(`${name} is "${text}", which no address can hold.`);
	return encodeURIComponent(text);
}

function readEnvironment(): (name: string) => string | undefined {
	const { process } = globalThis as { process?: { env?: Record<string, string | undefined> } };
	return (name) => process?.env?.[name] || undefined;
}

function sleep(ms: number, signal?: AbortSignal): Promise<void> {
	return new Promise((resolve, reject) => {
		const stop = () => {
			clearTimeout(timer);
			reject(signal?.reason);
		};
		const timer = setTimeout(() => {
			signal?.removeEventListener("abort", stop);
			resolve();
		}, ms);
		if (signal?.aborted) stop();
		else signal?.addEventListener("abort", stop, { once: true });
	});
}

/** The document that a stored `authority-unavailable` names; undefined for any other error. */
export function storedDocument(error: unknown): string | undefined {
	if (!(error instanceof ApiError) || slugOf(error.problem) !== "authority-unavailable") return undefined;
	const { stored, docId } = error.problem;
	return stored === true && typeof docId === "string" ? docId : undefined;
}
