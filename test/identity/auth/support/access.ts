/** Access on a real database, with a clock to set, companies to speak for, and its operations called as the server would. */
import { type Access, type CreatedApiKey, openAccess } from "../../../../src/identity/auth";
import { connect, type Sql } from "../../../../src/platform/database";
import type { Operation, Principal } from "../../../../src/platform/operation";
import { Problem, toProblemDocument } from "../../../../src/platform/problem";
import { createEnvelope } from "../../../../src/platform/secrets";
import { createLog } from "../../../../src/platform/telemetry";
import { type Environment, newId } from "../../../../src/platform/values";
import { openTestDatabase, type TestDatabase } from "../../../support/database";

export const BASE_URL = "https://api.example";
export const envelope = createEnvelope(Buffer.alloc(32, 7));
export const log = createLog("silent", "test");

/** A clock that starts now and moves only when a test moves it. */
export function settableClock() {
	let at = Date.now();
	return {
		now: () => new Date(at),
		advance: (seconds: number) => {
			at += seconds * 1000;
		},
	};
}

export type Company = {
	readonly tenantId: string;
	readonly key: CreatedApiKey;
	readonly clientId: string;
	readonly clientSecret: string;
};

export type Answered = { readonly status: number; readonly headers: Headers; readonly body: Record<string, unknown> };

export async function openTestAccess(environment: Environment = "sandbox") {
	const database = await openTestDatabase();
	const clock = settableClock();
	const open = (sql: Sql, other: Environment = environment) =>
		openAccess({ sql, envelope, environment: other, baseUrl: BASE_URL, clock, log });
	const access = await open(database.sql);
	const others: (() => Promise<void>)[] = [];
	return {
		database,
		sql: database.sql,
		clock,
		access,
		/** Access of another process: its own connections to the same database. */
		openAnother: async (other: Environment = environment): Promise<{ access: Access; sql: Sql }> => {
			const sql = connect({ url: database.url, name: `another ${newId()}`, connectionsMax: 3 });
			const second = await open(sql, other);
			others.push(async () => {
				await second.close();
				await sql.end({ timeout: 1 });
			});
			return { access: second, sql };
		},
		makeCompany: (overrides: Partial<Parameters<Access["createKey"]>[0]> = {}) =>
			makeCompany(access, database, overrides),
		send: (operationId: string, body: unknown, options: SendOptions = {}) => send(access, operationId, body, options),
		close: async () => {
			for (const end of others) await end();
			await access.close();
			await database.close();
		},
	};
}
export type TestAccess = Awaited<ReturnType<typeof openTestAccess>>;

async function makeCompany(
	access: Access,
	{ sql }: TestDatabase,
	overrides: Partial<Parameters<Access["createKey"]>[0]>,
): Promise<Company> {
	const key = await access.createKey({ plan: "free", label: "tests", environment: "sandbox", ...overrides });
	const tenantId = newId();
	const { ownerId, plan, scopes, environment } = key;
	const client = await sql.begin((tx) => access.createClient(tx, { tenantId, ownerId, plan, scopes, environment }));
	return { tenantId, key, ...client };
}

export type SendOptions = {
	readonly headers?: Record<string, string>;
	readonly form?: boolean;
	readonly principal?: Principal;
};

/** Calls an operation; a Problem becomes the answer that the server would give. */
export async function send(
	access: Access,
	operationId: string,
	body: unknown,
	options: SendOptions = {},
): Promise<Answered> {
	const operation = access.operations.find((o) => o.id === operationId);
	if (!operation) throw new Error(`no operation ${operationId}`);
	const type = options.form ? "application/x-www-form-urlencoded" : "application/json";
	const url = new URL(operation.path, "http://localhost");
	const text = typeof body === "string" ? body : JSON.stringify(body);
	const request = new Request(url.href, {
		method: operation.method,
		headers: { "content-type": type, ...options.headers },
		body: operation.method === "GET" ? null : text,
	});
	return answerOf(operation, request, url, options.principal);
}

async function answerOf(operation: Operation, request: Request, url: URL, principal?: Principal): Promise<Answered> {
	const base = { request, url, requestId: "test", remoteAddress: "127.0.0.1", params: {}, operation };
	try {
		const response = await operation.handle(principal ? { ...base, principal } : base);
		return { status: response.status, headers: response.headers, body: (await response.json()) as Answered["body"] };
	} catch (error) {
		if (!(error instanceof Problem)) throw error;
		const problem = operation.extendProblem?.(error) ?? error;
		const body = toProblemDocument(problem, { baseUrl: BASE_URL, instance: url.pathname, requestId: "test" });
		return { status: problem.status, headers: new Headers(problem.headers), body };
	}
}

/** The tokens of a company. */
export async function tokensOf(access: Access, company: Company, more: Record<string, unknown> = {}) {
	const { clientId: client_id, clientSecret: client_secret } = company;
	const body = { grant_type: "client_credentials", client_id, client_secret, ...more };
	const answer = await send(access, "postToken", body);
	if (answer.status !== 200) throw new Error(`no token: ${JSON.stringify(answer.body)}`);
	return { access: String(answer.body.access_token), refresh: String(answer.body.refresh_token), body: answer.body };
}

/** A request with the credentials given. */
export function requestWith(credentials: { key?: string | undefined; bearer?: string | undefined }): Request {
	const headers = new Headers();
	if (credentials.key !== undefined) headers.set("x-api-key", credentials.key);
	if (credentials.bearer !== undefined) headers.set("authorization", `Bearer ${credentials.bearer}`);
	return new Request("http://localhost/v1/anything", { headers });
}

/** The Problem that some work ends with. */
export async function problemOf(work: Promise<unknown>): Promise<Problem> {
	try {
		await work;
	} catch (error) {
		if (error instanceof Problem) return error;
		throw error;
	}
	throw new Error("expected a problem, got an answer");
}

/** Waits until something holds and returns how long that took. Units: milliseconds. */
export async function until(holds: () => Promise<boolean>, timeoutMs = 60_000): Promise<number> {
	const start = performance.now();
	while (!(await holds())) {
		if (performance.now() - start > timeoutMs) throw new Error(`still not so after ${timeoutMs} ms`);
		await new Promise((next) => setImmediate(next));
	}
	return performance.now() - start;
}
