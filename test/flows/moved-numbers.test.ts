/** A company's numbers as it moves between the authority's environments, each of which gives out numbers by itself. */
import { beforeAll, expect, test } from "bun:test";
import { patchCompany } from "../api/support/patches";
import { expectProblem } from "../api/support/problem";
import { createNumbered, encfOf, postLease, postSequence, postVoid } from "../api/support/sequences";
import { beginSet, postSet } from "../api/support/test-sets";
import { buildInvoice, get, post, postInvoice, sharedService, type Tenant, type TestService } from "../support/service";
import { until } from "../support/until";

let service: TestService;
beforeAll(async () => {
	service = await sharedService();
}, 120_000);

type Sequences = { items: { from: string; next: string; available: number }[]; count: number };

const readSequences = async (tenant: Tenant) =>
	(await (await get(service, "/v1/sequences", tenant.headers)).json()) as Sequences;

async function issue(tenant: Tenant, encf: string): Promise<unknown> {
	const answer = await postInvoice(service, tenant, buildInvoice(tenant, { encf }), { prefer: "wait=20" });
	return answer.json();
}

const moveTo = (tenant: Tenant, authorityEnvironment: "test" | "certification") =>
	patchCompany(service, tenant, { authorityEnvironment });

test("numbers are separate in each environment and unchanged after the way back", async () => {
	const tenant = await createNumbered(service);
	await postSequence(service, tenant, [1, 100]);
	expect(await issue(tenant, "auto")).toMatchObject({ encf: encfOf(1), status: "accepted" });
	expect(await issue(tenant, encfOf(50))).toMatchObject({ status: "accepted" });
	const { headers } = await postVoid(service, tenant, [90, 95]);
	const readVoid = async () => (await get(service, headers.get("location") ?? "", tenant.headers)).json();
	await until(async () => ((await readVoid()) as { status: string }).status === "voided", 20_000);
	const lease = await postLease(service, tenant);
	const { available } = (await readSequences(tenant)).items[0] ?? {};
	expect(available).toBe(100 - 2 - 6 - 3);

	await moveTo(tenant, "certification");
	expect(await readSequences(tenant)).toMatchObject({ items: [], count: 0 });
	const found = await get(service, lease.headers.get("location") ?? "", tenant.headers);
	expect(await found.json()).toMatchObject({ status: "returned" });
	expect((await postSequence(service, tenant, [1, 95])).status).toBe(201);
	expect(await readSequences(tenant)).toMatchObject({ count: 1, items: [{ next: encfOf(1), available: 95 }] });
	expect(await issue(tenant, "auto")).toMatchObject({ encf: encfOf(1), status: "accepted" });
	expect(await issue(tenant, encfOf(92))).toMatchObject({ status: "accepted" });
	expect(await readVoid()).toMatchObject({ status: "voided" });

	await moveTo(tenant, "test");
	expect(await readSequences(tenant)).toMatchObject({
		count: 1,
		items: [{ next: encfOf(2), available: 100 - 2 - 6 }],
	});
	await expectProblem(
		postInvoice(service, tenant, buildInvoice(tenant, { encf: encfOf(50) })),
		422,
		"encf-already-used",
	);
	await expectProblem(
		postInvoice(service, tenant, buildInvoice(tenant, { encf: encfOf(92) })),
		422,
		"encf-already-used",
	);
	expect(await issue(tenant, "auto")).toMatchObject({ encf: encfOf(2), status: "accepted" });

	await moveTo(tenant, "certification");
	expect(await readSequences(tenant)).toMatchObject({ count: 1, items: [{ next: encfOf(2), available: 93 }] });
}, 120_000);

test("a type without a sequence begins at number one in each environment of a sandbox", async () => {
	const tenant = await createNumbered(service);
	const first = { encf: "E310000000001", status: "accepted" };
	expect(await issue(tenant, "auto")).toMatchObject(first);
	await moveTo(tenant, "certification");
	expect(await issue(tenant, "auto")).toMatchObject(first);
	await moveTo(tenant, "test");
	expect(await issue(tenant, "auto")).toMatchObject({ encf: "E310000000002", status: "accepted" });
}, 60_000);

test("a number that a document of production has stays in use wherever its company is", async () => {
	const tenant = await createNumbered(service);
	await service.sql`update companies set authority_environment = 'production' where tenant_id = ${tenant.tenantId}`;
	expect(await issue(tenant, encfOf(7))).toMatchObject({ status: "accepted" });
	await moveTo(tenant, "test");
	await expectProblem(
		postInvoice(service, tenant, buildInvoice(tenant, { encf: encfOf(7) })),
		422,
		"encf-already-used",
	);
	const names = await service.sql`select kind, name from names where tenant_id = ${tenant.tenantId}`;
	expect([...names]).toEqual([{ kind: "p", name: encfOf(7) }]);
}, 60_000);

test("a note is compared with documents of the environment that its company is in", async () => {
	const tenant = await createNumbered(service);
	await service.sql`update companies set authority_environment = 'production' where tenant_id = ${tenant.tenantId}`;
	const customer = { rnc: "131880681", name: "CLIENTE SRL" };
	const answer = await postInvoice(service, tenant, buildInvoice(tenant, { encf: encfOf(8), customer }), {
		prefer: "wait=20",
	});
	expect(await answer.json()).toMatchObject({ status: "accepted" });
	// Of another day than the document.
	const reference = { encf: encfOf(8), issue_date: "2026-01-15", code: 3, reason: "Corrección de montos" };
	const note = buildInvoice(tenant, { type: "34", encf: encfOf(1, "34"), customer, reference });
	const rehearse = async () => {
		const rehearsed = await post(service, "/v1/invoices?dry_run=true", tenant.headers, note);
		const { warnings } = (await rehearsed.json()) as { warnings: { code: string }[] };
		return warnings.map(({ code }) => code);
	};
	expect(await rehearse()).toContain("reference-date");
	await moveTo(tenant, "test");
	expect(await rehearse()).not.toContain("reference-date");
}, 60_000);

test("a test set avoids the numbers that were used in the certification environment", async () => {
	const tenant = await createNumbered(service);
	await moveTo(tenant, "certification");
	for (const encf of ["E310000000002", "E310000000003"])
		expect(await issue(tenant, encf)).toMatchObject({ status: "accepted" });
	await moveTo(tenant, "test");
	const asked = { types: ["31"], mode: "authority" };
	await expectProblem(postSet(tenant, { ...asked, startNumber: "0000000003" }), 400, "validation-error", [
		"/startNumber number-used",
	]);
	const { id } = await beginSet(tenant, asked);
	await until(async () => {
		const [set] = await service.sql`select status in ('passed', 'failed') as "isOver" from test_sets where id = ${id}`;
		return set?.isOver === true;
	}, 60_000);
	const [row] = await service.sql`
		select min(encf) as first, bool_and(status = 'accepted') as "allAccepted" from test_set_cases where set_id = ${id}`;
	expect(row).toEqual({ first: "E310000000004", allAccepted: true });
}, 90_000);
