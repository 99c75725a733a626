/** A company that moves between the authority's environments while a document of it is being made: checked before, stored after. */
import { beforeAll, expect, test } from "bun:test";
import { postBatch } from "../api/support/batches";
import { patchCompany, sendPatch } from "../api/support/patches";
import { expectProblem } from "../api/support/problem";
import { createNumbered, encfOf, postSequence } from "../api/support/sequences";
import { buildInvoice, get, postInvoice, sharedService, type Tenant, type TestService } from "../support/service";
import { until } from "../support/until";

let service: TestService;
beforeAll(async () => {
	service = await sharedService();
}, 120_000);

const untilWaiting = () =>
	until(async () => {
		const waiting = await service.owner`
			select 1 from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database() and state = 'active'`;
		return waiting.length > 0;
	}, 20_000);

/** Lets the document come as far as its key, where a transaction that is not over yet has it, and does the rest of the work before it goes on. */
async function stopAtKey(
	tenant: Tenant,
	key: string,
	body: unknown,
	meanwhile: () => Promise<void>,
): Promise<Response> {
	let posted: Promise<Response> | undefined;
	await service.owner
		.begin(async (tx) => {
			await tx`
				insert into request_keys (scope_id, operation, key, slot, raw_digest)
				values (${tenant.tenantId}, 'POST /v1/invoices', ${key}, request_slot(now()), 'x')`;
			posted = postInvoice(service, tenant, body, { "idempotency-key": key, prefer: "wait=20" });
			await untilWaiting();
			await meanwhile();
			throw new Error("over");
		})
		.catch((error: Error) => expect(error.message).toBe("over"));
	if (!posted) throw new Error("expected a request");
	return posted;
}

const moveTo = (tenant: Tenant, authorityEnvironment: "test" | "certification") =>
	patchCompany(service, tenant, { authorityEnvironment });

for (const encf of [encfOf(5), "auto"]) {
	test(`a document made for the previous environment is not stored: ${encf}`, async () => {
		const tenant = await createNumbered(service);
		await postSequence(service, tenant, [1, 100]);
		const key = crypto.randomUUID();
		const body = buildInvoice(tenant, { encf });
		const refused = stopAtKey(tenant, key, body, async () => {
			await moveTo(tenant, "certification");
			await postSequence(service, tenant, [5, 100]);
		});
		const problem = await expectProblem(refused, 503, "service-unavailable");
		expect(problem).toMatchObject({ detail: expect.stringContaining("moved to another environment") });
		expect((await refused).headers.get("retry-after")).toBe("1");
		const listed = await (await get(service, "/v1/invoices", tenant.headers)).json();
		expect(listed).toMatchObject({ items: [] });

		const again = await postInvoice(service, tenant, body, { "idempotency-key": key, prefer: "wait=20" });
		expect(await again.json()).toMatchObject({
			encf: encfOf(5),
			status: "accepted",
			print: { qrUrl: expect.stringContaining("/certecf/") },
		});
	}, 60_000);
}

test("documents of a batch made for the previous environment are refused one by one", async () => {
	const tenant = await createNumbered(service);
	await postSequence(service, tenant, [1, 100]);
	const body = [encfOf(5), "auto"].map((encf, i) =>
		buildInvoice(tenant, { encf, client_request_id: `moved-item-${i}` }),
	);
	const headers = { "idempotency-key": crypto.randomUUID() };
	let posted: Promise<Response> | undefined;
	await service.owner.begin(async (tx) => {
		// What is asked of the sequences is asked after the company.
		await tx`lock table sequences in access exclusive mode`;
		posted = postBatch(service, tenant, { invoices: body }, headers);
		await untilWaiting();
		await tx`update companies set authority_environment = 'certification' where tenant_id = ${tenant.tenantId}`;
	});
	const problem = { type: expect.stringContaining("service-unavailable"), detail: expect.stringContaining("moved") };
	const refused = { status: 503, problem };
	expect(await (await posted)?.json()).toMatchObject({ accepted: 0, failed: 2, results: [refused, refused] });

	const again = await postBatch(service, tenant, { invoices: body }, headers);
	const issued = { status: 202, print: { qrUrl: expect.stringContaining("/certecf/") } };
	expect(await again.json()).toMatchObject({ accepted: 2, results: [issued, issued] });
}, 60_000);

test("issuing while the company moves is refused at once", async () => {
	const [tenant, other] = [await createNumbered(service), await createNumbered(service)];
	await postSequence(service, tenant, [1, 100]);
	let moved: Promise<unknown> | undefined;
	await service.owner.begin(async (tx) => {
		await tx`lock table sequences_elsewhere in access exclusive mode`;
		moved = moveTo(tenant, "certification");
		await untilWaiting();
		for (const encf of [encfOf(5), "auto"]) {
			const refused = postInvoice(service, tenant, buildInvoice(tenant, { encf }));
			expect(await expectProblem(refused, 503, "service-unavailable")).toMatchObject({
				detail: expect.stringContaining("being moved"),
			});
			expect((await postInvoice(service, other, buildInvoice(other, { encf }))).status).toBe(202);
		}
	});
	await moved;
}, 60_000);

test("numbered documents are refused at once when the move begins", async () => {
	const [tenant, other] = [await createNumbered(service), await createNumbered(service)];
	await postSequence(service, tenant, [1, 100]);
	// More than the service has connections to its database.
	const keys = Array.from({ length: 30 }, () => crypto.randomUUID());
	const blocker = await service.owner.reserve();
	await blocker`begin`;
	await blocker`
		insert into request_keys (scope_id, operation, key, slot, raw_digest)
		select ${tenant.tenantId}::uuid, 'POST /v1/invoices', key, request_slot(now()), 'x' from unnest(${keys}::uuid[]) key`;
	const posted = keys.map((key) =>
		postInvoice(service, tenant, buildInvoice(tenant, { encf: "auto" }), { "idempotency-key": key }),
	);
	await until(async () => {
		const [held] = await service.sql<{ count: number }[]>`
			select count(*)::int as count from sequence_holds where tenant_id = ${tenant.tenantId}`;
		return held?.count === keys.length;
	}, 20_000);
	await untilWaiting();
	let moved: Promise<unknown> | undefined;
	await service.owner.begin(async (tx) => {
		await tx`lock table sequences_elsewhere in access exclusive mode`;
		moved = moveTo(tenant, "certification");
		await until(async () => {
			const waiting = await service.owner`
				select 1 from pg_stat_activity where wait_event_type = 'Lock' and state = 'active' and query like '%gone as%'
					and query like '%sequences_elsewhere%' and pid <> pg_backend_pid()`;
			return waiting.length > 0;
		}, 20_000);
		await blocker`rollback`;
		// While the move is still held.
		const statuses = (await Promise.all(posted)).map(({ status }) => status);
		expect(new Set(statuses)).toEqual(new Set([503]));
		expect((await postInvoice(service, other, buildInvoice(other, { encf: encfOf(7) }))).status).toBe(202);
	});
	blocker.release();
	await moved;
}, 60_000);

test("a move that is refused for pending work does not block issuing", async () => {
	const tenant = await createNumbered(service);
	const pending = { "x-sandbox-scenario": '{"scenario":"accept","after":"30s"}' };
	const first = await postInvoice(service, tenant, buildInvoice(tenant), pending);
	expect(first.status).toBe(202);
	await service.owner.begin(async (tx) => {
		await tx`select pg_advisory_xact_lock_shared(7301041, hashtext(${tenant.tenantId}))`;
		await expectProblem(sendPatch(service, tenant, { authorityEnvironment: "certification" }), 400, "validation-error");
	});
}, 60_000);
