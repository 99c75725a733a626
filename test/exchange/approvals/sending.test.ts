/** Delivering our decision to issuer and authority: independently, with the same bytes, and again if it did not arrive. */
import { beforeAll, expect, test } from "bun:test";
import { patchCompany } from "../../api/support/patches";
import { createTenant, get, getToken, post, sharedService, type Tenant, type TestService } from "../../support/service";
import { until } from "../../support/until";
import {
	control,
	decideOn,
	decisionsAtAuthority,
	filesAt,
	listIssuer,
	receive,
	type Sold,
	sell,
	strangers,
	untilSent,
	WAIT_MS,
	xmlOf,
} from "./support/words";

let service: TestService;
let seller: Tenant;
let buyer: Tenant;
beforeAll(async () => {
	service = await sharedService();
	[seller, buyer] = await Promise.all([createTenant(service), createTenant(service)]);
}, WAIT_MS);

async function bought(over = {}): Promise<{ sold: Sold; documentId: string }> {
	const sold = await sell(service, seller, buyer.rnc, over);
	return { sold, documentId: await receive(service, buyer, sold) };
}

test(
	"a lost answer and an absent receiver get the same bytes, and each counts once",
	async () => {
		const { path } = await listIssuer(service, seller.rnc);
		service.receiver.answer(path, (n) => (n === 1 ? 503 : 200));
		const { sold, documentId } = await bought();
		// More than one, since deliveries of other tests may be hit as well.
		await control(service, "faults", { operation: "approval", mode: "reset-after", count: 3 });
		const { approvalId } = await decideOn(service, buyer, documentId);
		const sent = await untilSent(service, buyer, approvalId);
		await fetch(`${service.simulatorUrl}/_simulator/faults`, { method: "DELETE" });
		expect(sent).toMatchObject({ status: "sent", delivery: { issuer: "sent", authority: "sent" } });
		const retried = await post(service, `/v1/approvals/${approvalId}/retry`, buyer.headers, {});
		expect([retried.status, await retried.json()]).toMatchObject([200, { status: "sent" }]);
		// Other deliveries may have lost the answer instead, but the issuer's path is used only here.
		expect(sent.deliveries.find(({ to }) => to === "issuer")?.attempts).toBeGreaterThanOrEqual(2);
		const xml = await xmlOf(service, buyer, approvalId);
		expect(new Set(filesAt(service, path, sold.encf))).toEqual(new Set([xml]));
		const sha256 = new Bun.CryptoHasher("sha256").update(xml).digest("hex");
		expect(await decisionsAtAuthority(service, sold.encf)).toMatchObject([{ sha256, buyerRnc: buyer.rnc, state: 1 }]);
		const answers =
			await service.sql`select body from approval_papers where approval_id = ${approvalId} and kind = 'answer'`;
		expect(answers.length).toBeGreaterThanOrEqual(1);
	},
	WAIT_MS,
);

test(
	"a refusal is recorded and listed, and a retry sends the same bytes",
	async () => {
		const { path } = await listIssuer(service, seller.rnc);
		service.receiver.answer(path, 400);
		// The authority does not know it.
		const documentId = await receive(service, buyer, { ...strangers(), issuerRnc: seller.rnc });
		const { approvalId } = await decideOn(service, buyer, documentId, {
			decision: "rejected",
			reason: "No es nuestra",
		});
		const refused = await untilSent(service, buyer, approvalId);
		expect(refused).toMatchObject({ status: "failed", delivery: { issuer: "refused", authority: "refused" } });
		const [toIssuer, toAuthority] = refused.deliveries;
		expect([toIssuer?.messages[0]?.code, toAuthority?.messages[0]?.text]).toEqual([
			"HTTP 400",
			"Factura no encontrada para esta Aprobación comercial.",
		]);
		const list = await get(service, "/v1/approvals?delivery=undelivered", buyer.headers);
		expect(((await list.json()) as { items: unknown[] }).items).toContainEqual(refused);
		const xml = await xmlOf(service, buyer, approvalId);

		service.receiver.answer(path, 200);
		const headers = { ...buyer.headers, "idempotency-key": crypto.randomUUID() };
		const again = await post(service, `/v1/approvals/${approvalId}/retry`, headers, {});
		expect(again.status).toBe(202);
		const partly = await untilSent(service, buyer, approvalId);
		expect(partly).toMatchObject({
			...{ status: "partly-sent", delivery: { issuer: "sent", authority: "refused" } },
		});
		// A repeat of its key gets the first answer, and a delivery that was refused again stays refused.
		const repeat = await post(service, `/v1/approvals/${approvalId}/retry`, headers, {});
		expect([repeat.status, repeat.headers.get("idempotency-replayed")]).toEqual([200, "true"]);
		expect(await repeat.text()).toBe(await again.text());
		expect(await untilSent(service, buyer, approvalId)).toEqual(partly);
		expect(filesAt(service, path, refused.encf).slice(-1)).toEqual([xml]);
		expect(await xmlOf(service, buyer, approvalId)).toBe(xml);
	},
	WAIT_MS,
);

test(
	"an unlisted issuer ends its delivery at once, until a retry after it is listed",
	async () => {
		const [lonely, patient] = await Promise.all([createTenant(service), createTenant(service)]);
		const sold = await sell(service, lonely, patient.rnc);
		const { approvalId } = await decideOn(service, patient, await receive(service, patient, sold));
		expect(await untilSent(service, patient, approvalId)).toMatchObject({
			...{ status: "partly-sent", delivery: { issuer: "failed", authority: "sent" } },
			deliveries: [{ to: "issuer", messages: [{ code: "issuer-not-listed" }] }, { to: "authority" }],
		});
		await listIssuer(service, lonely.rnc);
		const again = await post(service, `/v1/approvals/${approvalId}/retry`, patient.headers, {});
		expect(again.status).toBe(202);
		expect(await untilSent(service, patient, approvalId)).toMatchObject({ status: "sent" });
	},
	WAIT_MS,
);

test(
	"a decision is sent to the document's environment though the company has moved",
	async () => {
		const mover = await createTenant(service);
		await listIssuer(service, seller.rnc);
		const sold = await sell(service, seller, mover.rnc);
		const documentId = await receive(service, mover, sold);
		await patchCompany(service, mover, { authorityEnvironment: "certification" });
		const { approvalId } = await decideOn(service, mover, documentId);
		expect(await untilSent(service, mover, approvalId)).toMatchObject({ status: "sent" });
		expect(await decisionsAtAuthority(service, sold.encf)).toContainEqual(
			expect.objectContaining({ environment: "testecf", buyerRnc: mover.rnc }),
		);
	},
	WAIT_MS,
);

test(
	"a decision that our own fault keeps back fails after three days with that reason",
	async () => {
		const locked = await createTenant(service);
		await service.owner`update signing_certificates set sealed_key = 'none' where tenant_id = ${locked.tenantId}`;
		const { approvalId } = await decideOn(service, locked, await receive(service, locked, strangers()));
		const failures = async () =>
			service.sql`select 1 from outbox where subject = ${approvalId} and kind like 'approval.%' and failures > 0`;
		await until(async () => (await failures()).length === 2, WAIT_MS);
		await post(service, "/v1/sandbox/clock", locked.headers, { advance: "73h" });
		const authorization = `Bearer ${await getToken(service, locked.clientId, locked.clientSecret)}`;
		const later = { ...locked, headers: { ...locked.headers, authorization } };
		expect(await untilSent(service, later, approvalId)).toMatchObject({
			status: "failed",
			deliveries: [{ messages: [{ code: "own-fault" }] }, { messages: [{ code: "own-fault" }] }],
		});
	},
	WAIT_MS,
);

test("neither a decision, its signed bytes nor an answer can be changed", async () => {
	const { approvalId } = await decideOn(service, buyer, await receive(service, buyer, strangers()));
	await until(async () => (await xmlOf(service, buyer, approvalId)).startsWith("<?xml"), WAIT_MS);
	const { owner: sql } = service;
	const attempts = [
		() => sql`update approvals set decision = 'rejected' where id = ${approvalId}`,
		() => sql`delete from approvals where id = ${approvalId}`,
		() => sql`update approval_papers set body = 'x' where approval_id = ${approvalId}`,
		() => sql`delete from approval_papers where approval_id = ${approvalId}`,
	];
	for (const attempt of attempts) {
		const outcome = await attempt().then(
			({ count }) => (count === 0 ? "refused" : "changed"),
			() => "refused",
		);
		expect(outcome).toBe("refused");
	}
}, 120_000);
