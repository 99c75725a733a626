import { beforeAll, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { findJudge } from "../../support/judges";
import {
	buildInvoice,
	createTenant,
	get,
	postInvoice,
	sharedService,
	type Tenant,
	type TestService,
} from "../../support/service";
import { until } from "../../support/until";
import { expectProblem } from "../support/problem";
import { createNumbered, encfOf, postLease, postSequence, postVoid } from "../support/sequences";

let service: TestService;
beforeAll(async () => {
	service = await sharedService();
});

type Void = { id: string; status: string; attempts: number; messages: { text: string }[]; _links: { self: string } };

async function untilVoided(tenant: Tenant, self: string): Promise<Void> {
	const read = async () => (await (await get(service, self, tenant.headers)).json()) as Void;
	await until(async () => (await read()).status !== "pending", 20_000);
	return read();
}

test("free numbers are voided at the authority, and never used again", async () => {
	const tenant = await createNumbered(service);
	await postSequence(service, tenant, [1, 10]);
	const answer = await postVoid(service, tenant, [1, 4]);
	expect(answer.status).toBe(202);
	const made = (await answer.json()) as Void;
	expect(made).toMatchObject({
		type: "31",
		from: encfOf(1),
		to: encfOf(4),
		count: 4,
		reason: "Caja cerrada",
		status: "pending",
	});
	expect(answer.headers.get("location")).toBe(made._links.self);
	const voided = await untilVoided(tenant, made._links.self);
	expect(voided).toMatchObject({
		status: "voided",
		attempts: 1,
		messages: [{ text: "Las secuencias fueron anuladas correctamente." }],
	});

	const found = (await (await fetch(`${service.simulatorUrl}/_simulator/voids`)).json()) as {
		rnc: string;
		ranges: unknown;
	}[];
	expect(found.filter(({ rnc }) => rnc === tenant.rnc).map(({ ranges }) => ranges)).toEqual([[[encfOf(1), encfOf(4)]]]);
	const next = await postInvoice(service, tenant, buildInvoice(tenant, { encf: "auto" }));
	expect(await next.json()).toMatchObject({ encf: encfOf(5) });
	await expectProblem(
		postInvoice(service, tenant, buildInvoice(tenant, { encf: encfOf(2) })),
		422,
		"encf-already-used",
		["/encf encf-voided"],
	);
});

const validate = findJudge("validate-ecf");
const verify = findJudge("verify-signature");
test.skipIf(!validate || !verify)(
	"its document is valid by the authority's schema and its signature by xmlsec1",
	async () => {
		const tenant = await createTenant(service);
		const { id, _links } = (await (await postVoid(service, tenant, [1, 1_000])).json()) as Void;
		await untilVoided(tenant, _links.self);
		const [row] = await service.sql<{ document: Uint8Array }[]>`select document from sequence_voids where id = ${id}`;
		const folder = mkdtempSync(join(tmpdir(), "sello-void-"));
		const file = join(folder, `${tenant.rnc}.xml`);
		await Bun.write(file, row?.document ?? "");
		const verdicts = [await validate?.(file), await verify?.(file)];
		rmSync(folder, { recursive: true });
		expect(verdicts).toMatchObject([{ exitCode: 0 }, { exitCode: 0 }]);
	},
);

test("a lost answer is requested with the same bytes, and the void counts once", async () => {
	const tenant = await createTenant(service);
	const fault = { operation: "void", mode: "reset-after", count: 1 };
	await fetch(`${service.simulatorUrl}/_simulator/faults`, { method: "POST", body: JSON.stringify(fault) });
	const { id, _links } = (await (await postVoid(service, tenant, [5, 6])).json()) as Void;
	expect(await untilVoided(tenant, _links.self)).toMatchObject({ status: "voided", attempts: 2 });
	const found = (await (await fetch(`${service.simulatorUrl}/_simulator/voids`)).json()) as {
		rnc: string;
		sha256: string;
	}[];
	const [row] = await service.sql<
		{ sha256: string }[]
	>`select encode(sha256, 'hex') as sha256 from sequence_voids where id = ${id}`;
	expect(found.filter(({ rnc }) => rnc === tenant.rnc).map(({ sha256 }) => sha256)).toEqual([row?.sha256 ?? ""]);
	const results = await service.sql<{ result: string }[]>`
		select result from sequence_void_steps where void_id = ${id} and kind = 'result' order by n`;
	expect(results.map(({ result }) => result)).toEqual(["unknown", "voided"]);
	const answers = await service.sql`select body from sequence_void_steps where void_id = ${id} and kind = 'answer'`;
	expect(answers).toHaveLength(1);
});

test("a void that the authority refuses frees its numbers again", async () => {
	const tenant = await createNumbered(service);
	await postSequence(service, tenant, [1, 10]);
	const delegation = { rnc: tenant.rnc, delegated: false };
	await fetch(`${service.simulatorUrl}/_simulator/certificates`, { method: "POST", body: JSON.stringify(delegation) });
	const { _links } = (await (await postVoid(service, tenant, [1, 4])).json()) as Void;
	const refused = await untilVoided(tenant, _links.self);
	expect(refused).toMatchObject({ status: "rejected", attempts: 1 });
	expect(refused.messages[0]?.text).toContain("no está delegado");
	const list = (await (await get(service, "/v1/sequences", tenant.headers)).json()) as {
		items: { available: number }[];
	};
	expect(list.items[0]?.available).toBe(10);
});

test("a repeat of the key is the same void", async () => {
	const tenant = await createTenant(service);
	const key = { "idempotency-key": crypto.randomUUID() };
	const [first, again] = [await postVoid(service, tenant, [1, 2], key), await postVoid(service, tenant, [1, 2], key)];
	expect([first.status, again.status]).toEqual([202, 200]);
	expect(await again.text()).toBe(await first.text());
});

test("numbers that are used, leased or voided already are not voided", async () => {
	const tenant = await createNumbered(service);
	await postSequence(service, tenant, [1, 20]);
	await postLease(service, tenant);
	expect((await postInvoice(service, tenant, buildInvoice(tenant, { encf: encfOf(10) }))).status).toBe(202);
	expect((await postVoid(service, tenant, [15, 16])).status).toBe(202);
	const refused = (range: [number, number], ...codes: string[]) =>
		expectProblem(
			postVoid(service, tenant, range),
			409,
			"sequence-conflict",
			codes.map((code) => `/from ${code}`),
		);
	await refused([3, 4], "number-held");
	await refused([9, 10], "number-used");
	await refused([16, 17], "number-voided");
	await refused([1, 20], "number-used", "number-held", "number-voided");
});
