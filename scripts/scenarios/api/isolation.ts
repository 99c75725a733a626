/**
 * Companies are isolated. Every operation in eight states of credentials, then every id of a company requested by another: the answer
 * equals
 * that for an unknown id byte for byte, reveals nothing of the company, and changes nothing.
 */
import { createHash } from "node:crypto";
import type { Sql } from "../../../src/platform/database";
import type { Scope } from "../../../src/platform/operation";
import { listTables, standings } from "../../../test/support/documents";
import type { ScenarioContext } from "../run-scenarios";
import { expectedStatus, promisedNeeds, type State } from "./credential-matrix";
import type { ApiOperation } from "./description";
import { buildInvoice, type Caller, DEAF_HOST, type Environment, obtainToken, post } from "./environment";
import { createFaultBook, type FaultBook } from "./fault-book";
import { checkAnswer } from "./oracle";
import { openForge } from "./token-forge";
import { type Answer, openWire, type Request, type Wire } from "./wire";

const UNKNOWN_KEY = "ak_test_0000000000000000000000_000000";
const FOREIGN_IDS = { full: 400, small: 200 };
const OPERATIONS_AT_LEAST = 15;
const PATIENCE_MS = 180_000;
const TIMED = 60;
/** Longer than any write is delayed, such as usage counts. */
const STILL_LOOKS = 30;
const LOOK_EVERY_MS = 150;
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
/** Headers that count down or identify the call. */
const OF_THE_CALL = /^(date|x-request-id|ratelimit(-policy)?|content-length)$/;

export async function isolationScenario(context: ScenarioContext, environment: Environment) {
	const faults = createFaultBook(context);
	const wire = openWire(environment.url);
	const cells = await tryCredentials(context, environment, wire, faults);
	const foreign = await askForForeign(context, environment, wire, faults);
	wire.close();
	faults.report();
	return { ...cells, ...foreign };
}

async function tryCredentials(context: ScenarioContext, environment: Environment, wire: Wire, faults: FaultBook) {
	const { api } = environment;
	const states = await listStates(environment, wire);
	const guarded = api.operations.filter(({ key, bearer }) => key !== "ignored" || bearer !== "ignored");
	if (guarded.length < OPERATIONS_AT_LEAST) context.violate(`only ${guarded.length} operations want credentials`);
	let cells = 0;
	for (const operation of api.operations) {
		const needs = promisedNeeds(operation);
		if (!needs) context.violate(`nothing is promised of the credentials of ${operation.name}`);
		else if (needs.key !== operation.key || needs.bearer !== operation.bearer)
			context.violate(
				`${operation.name} wants other credentials (key ${operation.key}, bearer ${operation.bearer}) than promised`,
			);
		if (!needs || !guarded.includes(operation)) continue;
		for (const state of states) {
			const request = toHarmless(operation, state.headers);
			const answer = await wire.send(request);
			cells++;
			const expected = expectedStatus(needs, operation.scope, state);
			const isRefused = answer.status === 401 || answer.status === 403;
			if (expected === undefined ? isRefused : answer.status !== expected)
				faults.note(
					operation.name,
					`${state.name}: ${answer.status}, expected ${expected ?? "to be let in"}`,
					request,
					answer,
				);
			for (const fault of checkAnswer(api, operation, answer))
				faults.note(operation.name, `${state.name}: ${fault}`, request, answer);
		}
	}
	return { "guarded operations": guarded.length, states: states.length, cells };
}

async function listStates(environment: Environment, wire: Wire): Promise<State[]> {
	const { sql } = environment;
	const caller = await environment.register();
	const other = await environment.register();
	const forge = await openForge(environment, caller.token);
	const bearer = (token: string) => ({ authorization: `Bearer ${token}` });
	const digestOf = (key: string) => createHash("sha256").update(key).digest();

	const expired = await environment.createKey();
	await sql`update api_keys set expires_at = now() - interval '1 minute' where digest = ${digestOf(expired)}`;
	const elsewhere = await environment.createKey();
	await sql`update api_keys set environment = 'production' where digest = ${digestOf(elsewhere)}`;
	const revoked = await environment.register();
	await revokeToken(environment, revoked);
	await sql`update api_keys set revoked_at = now() where digest = ${digestOf(revoked.apiKey)}`;
	const poorScopes: readonly Scope[] = ["usage:read", "company:write"];
	const poor = await environment.register({ scopes: poorScopes });
	const poorest = await environment.createKey(["usage:read"]);
	await sql`update api_keys set owner_id = (select owner_id from api_keys where digest = ${digestOf(poor.apiKey)})
		where digest = ${digestOf(poorest)}`;
	// Processes learn of it after a while.
	for (const key of [expired, elsewhere, revoked.apiKey])
		await until("a key's end is known", async () => {
			const headers: [string, string][] = [["x-api-key", key]];
			return (await wire.send({ method: "GET", target: "/v1/authority/registry/status", headers })).status === 401;
		});
	const now = Math.floor(Date.now() / 1_000);
	const ended = forge.withClaims({ iat: now - 7_200, nbf: now - 7_200, exp: now - 3_700 });
	return [
		{ name: "none", key: "absent", bearer: "absent", headers: {} },
		{ name: "bad", key: "bad", bearer: "bad", headers: { "x-api-key": UNKNOWN_KEY, ...bearer(`${caller.token}x`) } },
		{ name: "expired", key: "bad", bearer: "bad", headers: { "x-api-key": expired, ...bearer(ended) } },
		{ name: "revoked", key: "bad", bearer: "bad", headers: revoked.headers },
		{
			...{ name: "of another environment", key: "bad", bearer: "bad" },
			headers: { "x-api-key": elsewhere, ...bearer(forge.withClaims({ environment: "production" })) },
		},
		{
			name: "of two owners",
			key: "foreign",
			bearer: "foreign",
			headers: { ...caller.headers, "x-api-key": other.apiKey },
		},
		{
			name: "without the scope",
			key: "good",
			bearer: "good",
			scopes: ["usage:read"],
			headers: { "x-api-key": poorest, ...bearer(poor.token) },
		},
		{ name: "right", key: "good", bearer: "good", headers: caller.headers },
		// Each kind alone, so that neither hides the effect of the other.
		{ name: "the key alone", key: "good", bearer: "absent", headers: { "x-api-key": caller.apiKey } },
		{ name: "the token alone", key: "absent", bearer: "good", headers: bearer(caller.token) },
		{
			name: "a bad key with a good token",
			key: "bad",
			bearer: "good",
			headers: { ...caller.headers, "x-api-key": UNKNOWN_KEY },
		},
		{
			name: "a good key with an ended token",
			key: "good",
			bearer: "bad",
			headers: { ...caller.headers, ...bearer(ended) },
		},
		{
			name: "a good key with a revoked token",
			key: "good",
			bearer: "bad",
			headers: { ...caller.headers, ...bearer(revoked.token) },
		},
	];
}

async function revokeToken({ url }: Environment, { clientId, clientSecret, token }: Caller): Promise<void> {
	const answer = await post(`${url}/v1/auth/revoke`, {}, { token, client_id: clientId, client_secret: clientSecret });
	if (answer.status !== 200) throw new Error(`a token's revocation was answered with ${answer.status}: ${answer.text}`);
}

async function askForForeign(context: ScenarioContext, environment: Environment, wire: Wire, faults: FaultBook) {
	const { api, sql } = environment;
	const victim = await environment.register({
		more: { webhooks: ["a", "b"].map((path) => ({ url: `http://${DEAF_HOST}/${path}`, recovery: "manual" })) },
	});
	const stranger = await environment.register();
	await liveALittle(environment, victim, context.small ? 40 : 100);
	const tables = await listTenantTables(sql);
	await untilStill(sql, tables, victim);
	const owned = await listIds(sql, tables, victim);
	const ids = [victim.tenantId, ...owned.filter((id) => id !== victim.tenantId)].slice(
		0,
		FOREIGN_IDS[context.small ? "small" : "full"],
	);
	if (ids.length < FOREIGN_IDS.small) context.violate(`the company has only ${ids.length} ids to ask for`);
	const before = await digestRows(sql, tables, victim);

	// A taxpayer's number is public, and each company numbers its own orders; everything else in a path belongs to a company.
	const isOwnId = /\{(?!(?:document|number)\})/;
	const byPath = api.operations.filter(({ bearer, path }) => bearer === "required" && isOwnId.test(path));
	// A link is made for any id, and contains it; whether it exists is asked when the link is opened.
	const byName = api.operations.filter(
		(one) => one.bearer === "required" && idMembersOf(one).length > 0 && one.id !== "createLink",
	);
	let asked = 0;
	const compare = async (operation: ApiOperation, id: string, wants404: boolean) => {
		const absent = unknownId();
		const request = toRequest(operation, stranger, id, id === victim.tenantId);
		const [foreign, unknown] = [
			await wire.send(request),
			await wire.send(toRequest(operation, stranger, absent, id === victim.tenantId)),
		];
		asked++;
		const [print, expected] = [printOf(foreign, id), printOf(unknown, absent)];
		if (print !== expected)
			faults.note(
				operation.name,
				`a foreign id is distinguishable from an unknown one, which got ${unknown.status} ${"body" in unknown ? unknown.body.slice(0, 200) : ""}`,
				request,
				foreign,
			);
		if (wants404 && foreign.status !== 404)
			faults.note(operation.name, `a foreign id is answered with ${foreign.status}`, request, foreign);
		const revealed =
			"body" in foreign
				? [victim.rnc, victim.name, victim.tenantId].filter(
						(text) => text !== id && !request.target.includes(text) && foreign.body.includes(text),
					)
				: [];
		if (revealed.length > 0) faults.note(operation.name, "something of the company is revealed", request, foreign);
	};
	for (const [i, id] of ids.entries()) {
		const few = context.small && id !== victim.tenantId;
		for (const [j, operation] of byPath.entries()) if (!few || (i + j) % 12 === 0) await compare(operation, id, true);
		for (const [j, operation] of byName.entries()) if (!few || (i + j) % 12 === 0) await compare(operation, id, false);
	}
	const after = await digestRows(sql, tables, victim);
	for (const [table, digest] of before)
		if (after.get(table) !== digest) context.violate(`rows of the company in ${table} have changed`);
	return {
		"foreign ids": ids.length,
		"operations by path and by member": [byPath.length, byName.length],
		asked,
		"tables that stayed as they were": tables.length,
		...(await timeBoth(environment, stranger, ids[1] ?? victim.tenantId)),
	};
}

/** Gives a company typical data: invoices with verdicts, webhooks, ranges, leases. Skips what is impossible here. */
async function liveALittle({ url, api }: Environment, caller: Caller, invoices: number): Promise<void> {
	const headers = { ...caller.headers };
	const batch = Array.from({ length: invoices }, (_, i) => ({
		...buildInvoice(caller, i + 1),
		client_request_id: `isolation-${String(i).padStart(6, "0")}`,
	}));
	await post(`${url}/v1/invoices:batch`, { ...headers, "idempotency-key": crypto.randomUUID() }, { invoices: batch });
	for (const { method, path, body } of api.operations) {
		const example = [...(body?.content ?? [])][0]?.[1].example;
		if (method !== "POST" || path.includes("{") || !/^\/v1\/(sequences|keys)/.test(path) || example === undefined)
			continue;
		const text = JSON.stringify(example).replaceAll("990000001", caller.rnc);
		await post(`${url}${path}`, { ...headers, "idempotency-key": crypto.randomUUID() }, JSON.parse(text));
	}
	await obtainToken(url, caller);
}

async function listTenantTables(sql: Sql): Promise<string[]> {
	const rows = await sql<{ table: string }[]>`
		select table_name as table from information_schema.columns where table_schema = 'public' and column_name = 'tenant_id'`;
	const tables = await listTables(sql);
	return tables.filter((name) => rows.some(({ table }) => table === name));
}

/** One digest for each table, over all rows of the company. */
async function digestRows(sql: Sql, tables: readonly string[], { tenantId }: Caller): Promise<Map<string, string>> {
	const digests = new Map<string, string>();
	for (const table of tables) {
		const [row] = await sql<{ digest: string }[]>`
			select count(*) || ' ' || coalesce(md5(string_agg(t::text, '' order by t::text)), '') as digest
			from ${sql(table)} t where tenant_id::text = ${tenantId}`;
		digests.set(table, row?.digest ?? "");
	}
	return digests;
}

/** Waits until the company's rows no longer change. */
async function untilStill(sql: Sql, tables: readonly string[], caller: Caller): Promise<void> {
	let last = "";
	let same = 0;
	await until("the company's rows are still", async () => {
		const [row] = await sql<{ left: number }[]>`
			select count(*)::int as left from ${standings(sql)} i where tenant_id = ${caller.tenantId} and status = 'pending'`;
		const now = JSON.stringify([...(await digestRows(sql, tables, caller))]);
		same = now === last && row?.left === 0 ? same + 1 : 0;
		last = now;
		await Bun.sleep(LOOK_EVERY_MS);
		return same >= STILL_LOOKS;
	});
}

/** Every id in the company's rows. */
async function listIds(sql: Sql, tables: readonly string[], { tenantId }: Caller): Promise<string[]> {
	const ids = new Set<string>();
	for (const table of tables) {
		const rows = await sql<Record<string, unknown>[]>`
			select to_jsonb(t) as row from ${sql(table)} t where tenant_id::text = ${tenantId} limit 200`;
		for (const { row } of rows)
			for (const value of Object.values(row ?? {})) if (typeof value === "string" && UUID.test(value)) ids.add(value);
	}
	return [...ids];
}

/** Names of members and parameters that hold an id. */
function idMembersOf({ parameters, body }: ApiOperation): string[] {
	const queries = parameters.filter((one) => one.in === "query" && /id$/i.test(one.name)).map(({ name }) => name);
	const example = JSON.stringify([...(body?.content ?? [])][0]?.[1].example ?? {});
	return [...queries, ...[...example.matchAll(/"(\w*id)s?":\[?"[0-9a-f]{8}-/gi)].map((match) => match[1] ?? "")];
}

/** The operation's example with the id in every possible position. Company paths use the caller's own company unless the id is a company's. */
function toRequest(operation: ApiOperation, caller: Caller, id: string, isCompany: boolean): Request {
	const path = operation.path
		.replace(/^\/v1\/company\/\{\w+\}(?=\/.*\{)/, `/v1/company/${isCompany ? id : caller.tenantId}`)
		.replace(/\{\w+\}/g, id);
	const queries = operation.parameters
		.filter((one) => one.in === "query" && (/id$/i.test(one.name) || one.required))
		.map(({ name, example }) => `${name}=${/id$/i.test(name) ? id : String(example)}`);
	const [mediaType, media] = [...(operation.body?.content ?? [])][0] ?? [];
	const example = JSON.stringify(media?.example ?? {})
		.replaceAll("990000001", caller.rnc)
		.replace(/"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}"/g, `"${id}"`);
	return {
		method: operation.method,
		target: queries.length > 0 ? `${path}?${queries.join("&")}` : path,
		headers: [
			...Object.entries(caller.headers),
			...(operation.parameters.some(({ name }) => name === "Idempotency-Key")
				? ([["idempotency-key", crypto.randomUUID()]] as const)
				: []),
			...(mediaType ? ([["content-type", mediaType]] as const) : []),
		],
		...(mediaType ? { body: Buffer.from(example) } : {}),
	};
}

/** A request that changes nothing even if admitted. */
function toHarmless(operation: ApiOperation, headers: Readonly<Record<string, string>>): Request {
	return {
		method: operation.method,
		target: operation.path.replace(/\{\w+\}/g, () => crypto.randomUUID()),
		headers: [...Object.entries(headers), ...(operation.body ? ([["content-type", "text/plain"]] as const) : [])],
		...(operation.body ? { body: Buffer.from("x") } : {}),
	};
}

/** An unused id in our format. */
const unknownId = () => crypto.randomUUID().replace(/^(.{14})4/, "$17");

/** Everything that a caller sees, without the parts that identify the call. */
function printOf(answer: Answer, id: string): string {
	if (!("body" in answer)) return "none";
	const headers = Object.entries(answer.headers)
		.map(([name, value]) => (OF_THE_CALL.test(name) ? name : `${name}: ${value}`))
		.sort();
	const text = JSON.stringify([answer.status, headers, answer.body]);
	return text.replaceAll(answer.headers["x-request-id"] ?? "-", "…").replaceAll(id, "…");
}

/** Reported, not checked: differences in timing. Units: milliseconds. */
async function timeBoth({ url }: Environment, caller: Caller, foreign: string) {
	const wire = openWire(url);
	const times: Record<"foreign" | "unknown", number[]> = { foreign: [], unknown: [] };
	for (let i = 0; i < TIMED * 2; i++) {
		const kind = i % 2 === 0 ? "foreign" : "unknown";
		const target = `/v1/invoices/${kind === "foreign" ? foreign : unknownId()}/status`;
		const from = performance.now();
		await wire.send({ method: "GET", target, headers: Object.entries(caller.headers) });
		times[kind].push(performance.now() - from);
	}
	wire.close();
	const median = (all: number[]) => all.sort((a, b) => a - b)[all.length >> 1] ?? Number.NaN;
	const [a, b] = [median(times.foreign), median(times.unknown)];
	return { "median ms, foreign and unknown": [a, b].map((ms) => Math.round(ms * 100) / 100) };
}

async function until(what: string, condition: () => Promise<boolean>): Promise<void> {
	for (const deadline = performance.now() + PATIENCE_MS; !(await condition()); await Bun.sleep(30))
		if (performance.now() > deadline) throw new Error(`waited ${PATIENCE_MS / 1_000} s without success for: ${what}`);
}
