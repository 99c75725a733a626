/** The public sandbox over HTTP: what it accepts, what it does not send, and what it deletes. */

import { afterAll, beforeAll, expect, test } from "bun:test";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { createArchiveEraser } from "../../src/archive";
import { changeStatus } from "../../src/companies";
import { DEMO_KEY, DEMO_TENANT_ID, openAccess, retireClients } from "../../src/identity/auth";
import { findCarried } from "../../src/invoicing/invoices";
import { createEnvelope } from "../../src/platform/secrets";
import { createLog } from "../../src/platform/telemetry";
import { newId, systemClock } from "../../src/platform/values";
import { type WipeDeps, wipeOld } from "../../src/sandbox/wipe";
import { askForEmail, untilEmail } from "../api/support/emails";
import { postLease, postSequence, postVoid } from "../api/support/sequences";
import { decideOn, untilSent } from "../exchange/approvals/support/words";
import { allDeliveries } from "../support/deliveries";
import { listTables, rewrite } from "../support/documents";
import { signedEcf } from "../support/peer";
import {
	buildInvoice,
	createTenant,
	get,
	getToken,
	openServiceIn,
	post,
	postInvoice,
	type Tenant,
	untilDecided,
} from "../support/service";
import { until } from "../support/until";

let service: Awaited<ReturnType<typeof openServiceIn>>;
beforeAll(async () => {
	service = await openServiceIn("public-sandbox");
}, 180_000);
afterAll(() => service.stop());

const TIMEOUT_MS = 180_000;
const folderOf = (tenantId: string) => join(service.dataDir, "archive", tenantId);

async function closeTenant(tenantId: string, at: Date): Promise<void> {
	const doer = { actor: { address: "127.0.0.1" }, at };
	await changeStatus({ sql: service.sql, access: { retireClients } }, tenantId, "close", doer);
}

const wipe = (over: Partial<WipeDeps> = {}) =>
	wipeOld({
		sql: service.sql,
		archive: createArchiveEraser(join(service.dataDir, "archive")),
		closeTenant,
		releaseIssuer: service.releaseIssuer,
		demoTenantId: DEMO_TENANT_ID,
		pauseMs: 0,
		clock: systemClock,
		log: createLog("silent", "test"),
		...over,
	});

/**
 * How full the buckets of callers are: processes write it from memory until they are full again. The archive's rows: digests that the proofs of
 * others stand on. And what processes forget from their caches, for an hour.
 */
const NOT_THEIRS = ["rate_buckets", "archive_removals", "seals", "seal_chains", "changes"];

/** In which tables a row holds one of the texts, in whatever column. */
async function tablesWith(texts: readonly string[]): Promise<Record<string, number>> {
	const found: Record<string, number> = {};
	for (const name of (await listTables(service.sql)).filter((one) => !NOT_THEIRS.includes(one))) {
		const [row] = await service.sql<{ count: number }[]>`
			select count(*)::int as count from ${service.sql(name)} t
			where to_jsonb(t)::text like any(${texts.map((text) => `%${text}%`)})`;
		if (row && row.count > 0) found[name] = row.count;
	}
	return found;
}

/** Issues, gets the verdict, leases numbers: fills every table that a tenant can fill. */
async function live(tenant: Tenant): Promise<string[]> {
	const docIds: string[] = [];
	for (const encf of ["auto", undefined]) {
		// One goes to a buyer, who acknowledges it.
		const customer = { rnc: "990000174", name: "CONTRIBUYENTE SIMULADO SRL" };
		const body = buildInvoice(tenant, encf ? { type: "32", encf } : { customer });
		const answer = await postInvoice(service, tenant, body, { "x-sandbox-scenario": "accept" });
		expect(answer.status).toBe(202);
		const { docId } = (await answer.json()) as { docId: string };
		docIds.push(docId);
		await untilDecided(service, tenant, docId, 120_000);
	}
	const mail = await askForEmail(service, tenant, docIds[0] ?? "", { to: ["ana@client.example"] });
	await untilEmail(service, tenant, mail, "sent");
	expect((await postSequence(service, tenant, [1, 1_000])).status).toBe(201);
	expect((await postLease(service, tenant)).status).toBe(201);
	expect((await postVoid(service, tenant, [900, 901])).status).toBe(202);
	return docIds;
}

/** Processes count calls in memory and write them down together: behind the last one they are all there. */
async function untilCounted(tenant: Tenant): Promise<void> {
	expect((await get(service, "/v1/webhooks", tenant.headers)).status).toBe(200);
	const counted = () => service.sql`
		select 1 from usage_days where tenant_id = ${tenant.tenantId} and operation = 'listWebhooks'`;
	await until(async () => (await counted()).length > 0, 120_000);
}

const isQuiet = async (tenantId: string) =>
	(await service.sql`select 1 from outbox where tenant_id = ${tenantId} and state = 'ready'`).length === 0 &&
	(await findCarried(service.sql, tenantId)).length === 0;

test(
	"a company older than a day is removed completely, and others keep everything",
	async () => {
		const options = { plan: "enterprise", webhook: true, company: { settings: { sequenceMode: "service" } } } as const;
		const gone = await createTenant(service, options);
		const kept = await createTenant(service, options);
		const docIds = await live(gone);
		await live(kept);
		await until(async () => (await isQuiet(gone.tenantId)) && (await isQuiet(kept.tenantId)), 120_000);
		for (const tenant of [kept, gone]) {
			await untilCounted(tenant);
			await service.sql`
				insert into audit (id, at, tenant_id, address, action, subject, details)
				values (${newId()}, now(), ${tenant.tenantId}, '127.0.0.1', 'test', ${tenant.tenantId}, '{}')`;
		}
		const deliveries = await service.sql<
			{ id: string }[]
		>`select id from deliveries where tenant_id = ${gone.tenantId}`;
		const mails = await service.sql<{ id: string }[]>`select id from emails where tenant_id = ${gone.tenantId}`;
		const traces = [gone.tenantId, gone.clientId, ...docIds, ...[...deliveries, ...mails].map(({ id }) => id)];
		const before = await tablesWith(traces);
		for (const name of [
			"audit",
			"buyer_papers",
			"call_counts",
			"email_recipients",
			"emails",
			"deliveries",
			"request_keys",
			"refresh_tokens",
		]) {
			expect(name in before ? name : `${name} of ${Object.keys(before)}`).toBe(name);
		}
		expect(existsSync(folderOf(gone.tenantId))).toBe(true);
		// Strangers get no mail from a key that everybody knows.
		expect(existsSync(join(service.dataDir, "mail"))).toBe(false);
		const others = await tablesWith([kept.tenantId]);

		expect(await wipe()).toEqual({ tenants: 0, documents: 0, busy: 0 });
		await service.sql`update companies set created_at = created_at - interval '25 hours' where tenant_id = ${gone.tenantId}`;
		expect(await wipe()).toEqual({ tenants: 1, documents: 0, busy: 0 });

		expect(await tablesWith(traces)).toEqual({});
		expect(existsSync(folderOf(gone.tenantId))).toBe(false);
		// A process that still saw the company while it was being wiped.
		await service.sql`
			insert into usage_days (day, key_id, tenant_id, operation, owner_id, succeeded, unmodified, refused, limited, failed, items)
			select day, key_id, ${gone.tenantId}::uuid, operation, owner_id, 1, 0, 0, 0, 0, 0 from usage_days
			where tenant_id = ${kept.tenantId} limit 1`;
		expect(await tablesWith(traces)).toEqual({ usage_days: 1 });
		await wipe();
		expect(await tablesWith(traces)).toEqual({});
		expect(await tablesWith([kept.tenantId])).toEqual(others);
		expect(existsSync(folderOf(kept.tenantId))).toBe(true);
		await until(async () => (await get(service, "/v1/invoices", gone.headers)).status === 401, 60_000);
		expect((await get(service, `/v1/invoices/${docIds[0]}`, kept.headers)).status).toBe(404);
		expect((await get(service, "/v1/invoices", kept.headers)).status).toBe(200);
		const again = await post(service, "/v1/company", { "x-api-key": gone.apiKey }, { rnc: gone.rnc });
		expect(again.status).toBe(201);
	},
	TIMEOUT_MS,
);

test(
	"a company registered again after its wipe starts with its first number",
	async () => {
		const company = { settings: { sequenceMode: "service" } };
		const gone = await createTenant(service, { company });
		const issueFirst = async (tenant: Tenant) => {
			const answer = await postInvoice(service, tenant, buildInvoice(tenant, { encf: "auto" }));
			const { docId, encf } = (await answer.json()) as { docId: string; encf: string };
			return { encf, ...(await untilDecided(service, tenant, docId, 60_000)) };
		};
		const first = await issueFirst(gone);
		expect(first).toMatchObject({ encf: "E310000000001", status: "accepted" });
		await until(() => isQuiet(gone.tenantId), 120_000);
		await service.sql`update companies set created_at = created_at - interval '25 hours' where tenant_id = ${gone.tenantId}`;
		expect(await wipe()).toMatchObject({ tenants: 1, busy: 0 });
		const again = await post(service, "/v1/company", { "x-api-key": gone.apiKey }, { rnc: gone.rnc, ...company });
		expect(again.status).toBe(201);
		const { tenantId, credentials } = (await again.json()) as Pick<Tenant, "tenantId"> & { credentials: Tenant };
		const token = await getToken(service, credentials.clientId, credentials.clientSecret);
		const headers = { "x-api-key": gone.apiKey, authorization: `Bearer ${token}` };
		expect(await issueFirst({ ...gone, tenantId, token, headers })).toMatchObject({
			encf: first.encf,
			status: "accepted",
		});
	},
	TIMEOUT_MS,
);

test(
	"a company gets no credentials once its wipe has begun",
	async () => {
		const tenant = await createTenant(service);
		const { sql } = service;
		const path = `/v1/company/${tenant.tenantId}/credentials`;
		const ask = async () => (await post(service, path, { "x-api-key": tenant.apiKey }, {})).status;
		expect(await ask()).toBe(201);
		await sql`update companies set created_at = created_at - interval '25 hours' where tenant_id = ${tenant.tenantId}`;
		let meanwhile: number | undefined;
		const wiped = await wipe({
			closeTenant: async (tenantId, at) => {
				await closeTenant(tenantId, at);
				meanwhile = await ask();
			},
		});
		expect(wiped).toMatchObject({ tenants: 1 });
		expect(meanwhile).toBe(403);
		expect(await ask()).toBe(404);
	},
	TIMEOUT_MS,
);

test(
	"a company whose work is under way is passed over, and wiped when that has ended",
	async () => {
		const tenant = await createTenant(service);
		const { sql } = service;
		await sql`update companies set created_at = created_at - interval '25 hours' where tenant_id = ${tenant.tenantId}`;
		const message = newId();
		await sql`
		insert into outbox (id, kind, tenant_id, subject, busy_until)
		values (${message}, 'none', ${tenant.tenantId}, ${newId()}, now() + interval '1 hour')`;
		expect(await wipe()).toEqual({ tenants: 0, documents: 0, busy: 1 });
		expect(await sql`select 1 from companies where tenant_id = ${tenant.tenantId}`).toHaveLength(1);
		await sql`delete from outbox where id = ${message}`;
		expect(await wipe()).toEqual({ tenants: 1, documents: 0, busy: 0 });
	},
	TIMEOUT_MS,
);

/** A document that the company received a day ago, with everything that follows from it. */
async function receive(tenant: Tenant): Promise<string> {
	const answer = await fetch(`${service.url}/v1/received-documents`, {
		method: "POST",
		headers: { ...tenant.headers, "content-type": "application/xml" },
		body: signedEcf({ buyerRnc: tenant.rnc }),
	});
	expect(answer.status).toBe(201);
	const { id } = (await answer.json()) as { id: string };
	await until(async () => {
		const rows = await service.sql`
			select 1 from received_standings s join seals o on o.doc_id = s.document_id
			where s.document_id = ${id} and s.authority_status = 'not_found'
				and not exists (select 1 from outbox m where m.subject = ${id} and m.state = 'ready' and m.available_at <= now())`;
		return rows.length === 1;
	}, 120_000);
	await rewrite(
		service.owner,
		(tx) => tx`update received_documents set received_at = received_at - interval '25 hours' where id = ${id}`,
	);
	return id;
}

test(
	"the demo company stays, its documents go after a day, and no receiver is called",
	async () => {
		const token = await getToken(service, "demo", "demo");
		const headers = { "x-api-key": DEMO_KEY, authorization: `Bearer ${token}` };
		const [row] = await service.sql<{ rnc: string; name: string }[]>`
		select rnc, name from companies where tenant_id = ${DEMO_TENANT_ID}`;
		const secrets = { apiKey: DEMO_KEY, token, clientId: "demo", clientSecret: "demo", webhookSecret: "" };
		const demo: Tenant = { ...(row ?? { rnc: "", name: "" }), ...secrets, headers, tenantId: DEMO_TENANT_ID };
		const issue = async () => {
			const answer = await postInvoice(service, demo, buildInvoice(demo), { "x-sandbox-scenario": "accept" });
			expect(answer.status).toBe(202);
			const { docId } = (await answer.json()) as { docId: string };
			await untilDecided(service, demo, docId, 120_000);
			return docId;
		};
		const [old, young] = [await issue(), await issue()];
		await until(() => isQuiet(DEMO_TENANT_ID), 120_000);
		const [object] = await service.sql<
			{ key: string }[]
		>`select sealed_object_key(tenant_id, doc_id, decided_at, sha256) as key from seals where doc_id = ${old}`;
		const received = await receive(demo);
		const { approvalId } = await decideOn(service, demo, received);
		await untilSent(service, demo, approvalId);
		await until(async () => {
			const sealed = await service.sql`
				select 1 from seals o where o.doc_id = ${approvalId} and not exists (
					select 1 from outbox m where m.state = 'ready' and m.available_at <= now() and m.subject in (${approvalId}, ${received}))`;
			return sealed.length === 1;
		}, 120_000);
		const [word] = await service.sql<
			{ key: string }[]
		>`select sealed_object_key(tenant_id, doc_id, decided_at, sha256) as key from seals where doc_id = ${approvalId}`;
		const before = await tablesWith([approvalId]);
		for (const name of ["approval_deliveries", "approval_papers", "approvals", "outbox"]) {
			expect(name in before ? name : `${name} of ${Object.keys(before)}`).toBe(name);
		}
		await rewrite(
			service.owner,
			(tx) => tx`update documents set received_at = received_at - interval '25 hours' where doc_id = ${old}`,
		);
		await service.sql`update companies set created_at = created_at - interval '25 hours' where tenant_id = ${DEMO_TENANT_ID}`;
		expect(await wipe()).toEqual({ tenants: 0, documents: 2, busy: 0 });
		expect(await tablesWith([old, received, approvalId])).toEqual({});
		for (const { key } of [object, word].filter((one) => one !== undefined)) {
			expect(existsSync(join(service.dataDir, "archive", key))).toBe(false);
		}
		const statusOf = async (docId: string) => (await get(service, `/v1/invoices/${docId}/status`, headers)).status;
		expect([await statusOf(old), await statusOf(young)]).toEqual([404, 200]);
		expect(
			await service.sql`select 1 from ${allDeliveries(service.sql)} d where tenant_id = ${DEMO_TENANT_ID}`,
		).toHaveLength(0);
	},
	TIMEOUT_MS,
);

test(
	"a test set of the demo company is wiped as a whole after its day",
	async () => {
		const { sql } = service;
		const token = await getToken(service, "demo", "demo");
		const headers = { "x-api-key": DEMO_KEY, authorization: `Bearer ${token}` };
		const run = async (mode: string) => {
			const asked = await post(service, "/v1/check-set-tests", headers, { mode, types: ["31"] });
			expect(asked.status).toBe(202);
			const { id, _links } = (await asked.json()) as { id: string; _links: { self: string } };
			await until(async () => {
				const [set] = await sql<{ status: string }[]>`select status from test_sets where id = ${id}`;
				return set?.status === "passed";
			}, 120_000);
			return { id, path: _links.self };
		};
		const sets = [await run("simulate"), await run("authority")];
		await until(() => isQuiet(DEMO_TENANT_ID), 120_000);
		const ids = sets.map(({ id }) => id);
		const cases = await sql<{ docId: string }[]>`
			select doc_id as "docId" from test_set_cases where set_id = any(${ids}::uuid[])`;
		// An approval of one of them is archived and reported under its own id.
		const word = newId();
		const added = await sql`
			insert into approvals (id, tenant_id, direction, doc_id, issuer_rnc, buyer_rnc, encf, issue_date, total, decision, decided_at, created_at)
			select ${word}, i.tenant_id, 'in', i.doc_id, '990000001', '990000002', i.encf, now(), 1, 'approved', now(), now()
			from documents i where i.doc_id = any(${cases.map(({ docId }) => docId)}::uuid[]) limit 1`;
		expect(added.count).toBe(1);
		await sql`
			insert into audit (id, at, tenant_id, address, action, subject, details)
			values (${newId()}, now(), ${DEMO_TENANT_ID}, '127.0.0.1', 'test', ${word}, '{}')`;
		const traces = [...ids, word, ...cases.map(({ docId }) => docId)];
		const before = await tablesWith(traces);
		await rewrite(
			service.owner,
			(tx) => tx`
				update documents set received_at = received_at - interval '25 hours'
				where doc_id = any(${cases.map(({ docId }) => docId)}::uuid[])`,
		);
		expect(await wipe()).toMatchObject({ documents: 0 });
		expect(await tablesWith(traces)).toEqual(before);
		await sql`update test_sets set created_at = created_at - interval '25 hours' where id = any(${ids}::uuid[])`;
		expect(await wipe()).toMatchObject({ documents: cases.length });
		expect(await tablesWith(traces)).toEqual({});
		for (const { path } of sets) expect((await get(service, path, headers)).status).toBe(404);
	},
	TIMEOUT_MS,
);

test(
	"write-once rows are wiped for the named tenant in the public sandbox only",
	async () => {
		const { owner } = service;
		const tenant = await createTenant(service);
		const answer = await postInvoice(service, tenant, buildInvoice(tenant));
		const { docId } = (await answer.json()) as { docId: string };
		await untilDecided(service, tenant, docId, 120_000);
		await until(() => isQuiet(tenant.tenantId), 120_000);
		const tryAs = (named: string | undefined, environment: string) =>
			owner
				.begin(async (tx) => {
					// Nothing but this lets a company change its environment.
					await tx`alter table companies disable trigger companies_belonging`;
					await tx`update companies set environment = ${environment} where tenant_id = ${tenant.tenantId}`;
					if (named !== undefined) await tx`select set_config('sello.wiped_tenant', ${named}, true)`;
					await tx`delete from papers where doc_id = ${docId}`;
					await tx`update seals set removed_at = now() where doc_id = ${docId}`;
					throw new Error("rolled back");
				})
				.catch((error: unknown) => (error instanceof Error ? error.message : String(error)));
		expect(await tryAs(tenant.tenantId, "public-sandbox")).toBe("rolled back");
		const kept = /^DELETE on papers_\w+ is not allowed: its rows are written once$/;
		expect(await tryAs(undefined, "public-sandbox")).toMatch(kept);
		expect(await tryAs(DEMO_TENANT_ID, "public-sandbox")).toMatch(kept);
		for (const environment of ["production", "staging", "sandbox"]) {
			expect(await tryAs(tenant.tenantId, environment)).toMatch(kept);
		}
	},
	TIMEOUT_MS,
);

test(
	"credentials of another environment in the same database are refused",
	async () => {
		const { sql, url } = service;
		const kek = Buffer.from(readFileSync(join(service.dataDir, "kek"), "utf8").trim(), "base64");
		const log = createLog("silent", "test");
		const shared = { sql, envelope: createEnvelope(kek), baseUrl: url, clock: systemClock, log };
		const staging = await openAccess({ ...shared, environment: "staging" });
		try {
			const key = await staging.createKey({ plan: "free", label: "other", environment: "staging" });
			const { ownerId, plan, scopes } = key;
			const tenantId = newId();
			const client = await sql.begin((tx) =>
				staging.createClient(tx, { tenantId, ownerId, plan, scopes, environment: "staging" }),
			);
			const body = { grant_type: "client_credentials", client_id: client.clientId, client_secret: client.clientSecret };
			const operation = staging.operations.find(({ id }) => id === "postToken");
			if (!operation) throw new Error("access has no token operation");
			const request = new Request(`${url}/v1/auth/token`, {
				method: "POST",
				headers: { "content-type": "application/json" },
				body: JSON.stringify(body),
			});
			const call = { request, operation, url: new URL(request.url), requestId: "1", remoteAddress: "", params: {} };
			const token = ((await (await operation.handle(call)).json()) as { access_token: string }).access_token;

			expect((await post(service, "/v1/auth/token", {}, body)).status).toBe(401);
			expect((await get(service, "/v1/authority/registry/status", { "x-api-key": key.key })).status).toBe(401);
			const own = await service.createKey();
			for (const headers of [
				{ "x-api-key": key.key, authorization: `Bearer ${token}` },
				{ "x-api-key": own, authorization: `Bearer ${token}` },
			]) {
				expect((await get(service, "/v1/invoices", headers)).status).toBe(401);
			}
			const principal = await staging.authenticate(
				new Request(url, { headers: { "x-api-key": key.key } }),
				{ key: "required", bearer: "ignored" },
				"",
			);
			expect(principal?.environment).toBe("staging");
		} finally {
			await staging.close();
		}
	},
	TIMEOUT_MS,
);

test(
	"the registry holds 2,000 invented taxpayers, and the demo key reads it",
	async () => {
		const answer = await get(service, "/v1/authority/registry/status", { "x-api-key": DEMO_KEY });
		expect(await answer.json()).toMatchObject({ record_count: 2_000 });
		expect((await get(service, "/v1/authority/document/990000001", { "x-api-key": DEMO_KEY })).status).toBe(200);
	},
	TIMEOUT_MS,
);
