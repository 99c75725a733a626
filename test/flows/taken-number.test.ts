/** A holder of a trusted certificate forges documents of another issuer and is first; the true document is still accepted. */
import { beforeAll, expect, test } from "bun:test";
import { certifyPerson, type Identity, identities } from "../../scripts/attacks/identities";
import { expectProblem } from "../api/support/problem";
import { postReceived, type ReceivedBody } from "../api/support/received";
import { postDecision } from "../exchange/approvals/support/words";
import { callerOf } from "../simulator/support/authority";
import { getPeerToken, motiveOf, nextEncf, RECEPTION, sendToReceiver, signedEcf } from "../support/peer";
import { createTenant, get, sharedService, type Tenant, type TestService } from "../support/service";
import { until } from "../support/until";

const TIMEOUT_MS = 180_000;
let service: TestService;
beforeAll(async () => {
	service = await sharedService();
}, TIMEOUT_MS);

type Shown = ReceivedBody & { readonly proof: string; readonly authorityStatus: string };

const list = async (tenant: Tenant) =>
	((await (await get(service, "/v1/received-documents", tenant.headers)).json()) as { items: Shown[] }).items;
const proofs = async (tenant: Tenant) => (await list(tenant)).map(({ proof }) => proof);

async function send(xml: string, identity: Identity): Promise<string> {
	const token = await getPeerToken(service.url, identity);
	return (await sendToReceiver(service.url, xml, { token })).text();
}

/** As its issuer does before it hands it over. */
async function bringToAuthority(xml: string, headers: Record<string, string> = {}): Promise<void> {
	const sent = await callerOf(service.simulatorUrl).send(xml, "main", headers);
	expect(await sent.json()).toMatchObject({ trackId: expect.any(String) });
}

test(
	"a forged document does not block the true one and yields to the verdict",
	async () => {
		const tenant = await createTenant(service);
		const stranger = await certifyPerson("00100000017");
		const encf = nextEncf();
		const forged = signedEcf({
			buyerRnc: tenant.rnc,
			encf,
			identity: stranger,
			edit: (c) => c.replace("Cemento", "Arena"),
		});
		const first = await send(forged, stranger);
		expect(motiveOf(first)).toBe(0);
		expect(await proofs(tenant)).toEqual(["unproven"]);

		const real = signedEcf({ buyerRnc: tenant.rnc, encf });
		const answer = await send(real, identities.good);
		expect(motiveOf(answer)).toBe(0);
		expect(await proofs(tenant)).toEqual(["contested", "contested"]);
		const feed = await (await get(service, "/v1/events?types=document.received", tenant.headers)).json();
		expect(feed).toMatchObject({ events: [{ proof: "unproven" }, { proof: "contested" }] });
		const [, { id: forgedId = "" } = {}] = await list(tenant);
		for (const word of [{ decision: "approved" }, { decision: "rejected", reason: "No" }]) {
			const refused = postDecision(service, tenant, forgedId, word);
			expect(await expectProblem(refused, 409, "duplicate-document")).toMatchObject({ proof: "contested" });
		}

		// Both get their own answer again; the same signer has no second document there.
		expect([await send(forged, stranger), await send(real, identities.good)]).toEqual([first, answer]);
		expect(motiveOf(await send(signedEcf({ buyerRnc: tenant.rnc, encf, orderNumber: "2" }), identities.good))).toBe(3);

		await bringToAuthority(real);
		// Which is asked again after half a minute.
		await service.sql`update outbox set available_at = now() where tenant_id = ${tenant.tenantId} and kind = 'received.ask-authority' and state = 'ready'`;
		await until(async () => (await proofs(tenant)).includes("proven"), TIMEOUT_MS);
		expect(await list(tenant)).toMatchObject([
			{ proof: "proven", authorityStatus: "accepted" },
			{ id: forgedId, proof: "superseded" },
		]);

		const another = await certifyPerson("00100000025");
		const late = signedEcf({ buyerRnc: tenant.rnc, encf, identity: another });
		expect(motiveOf(await send(late, another))).toBe(3);
		expect([await send(forged, stranger), await send(real, identities.good)]).toEqual([first, answer]);
		await expectProblem(postReceived(tenant, late), 409, "duplicate-document");
		expect(await proofs(tenant)).toHaveLength(2);

		const refused = postDecision(service, tenant, forgedId, { decision: "rejected", reason: "No" });
		expect(await expectProblem(refused, 409, "duplicate-document")).toMatchObject({ proof: "superseded" });
		const [{ id = "" } = {}] = await list(tenant);
		expect((await postDecision(service, tenant, id, { decision: "approved" })).status).toBe(202);
	},
	TIMEOUT_MS,
);

test(
	"a decision applies to the number: a second one on the true document is refused",
	async () => {
		const tenant = await createTenant(service);
		const stranger = await certifyPerson("00100000041");
		const encf = nextEncf();
		expect(motiveOf(await send(signedEcf({ buyerRnc: tenant.rnc, encf, identity: stranger }), stranger))).toBe(0);
		const [{ id: forgedId = "" } = {}] = await list(tenant);
		const said = await postDecision(service, tenant, forgedId, { decision: "rejected", reason: "No es nuestro" });
		expect(said.status).toBe(202);
		const { approvalId } = (await said.json()) as { approvalId: string };
		expect(motiveOf(await send(signedEcf({ buyerRnc: tenant.rnc, encf }), identities.good))).toBe(0);
		const [{ id = "" } = {}] = await list(tenant);
		const refused = postDecision(service, tenant, id, { decision: "approved" });
		expect(await expectProblem(refused, 409, "approval-already-decided")).toMatchObject({ approvalId });
	},
	TIMEOUT_MS,
);

test(
	"five signers' documents of one number are kept until the verdict",
	async () => {
		const tenant = await createTenant(service);
		const encf = nextEncf();
		const people = await Promise.all(Array.from({ length: 7 }, (_, i) => certifyPerson(`0010000003${i}`)));
		const statuses = await Promise.all(
			people.map(async (identity) => {
				const xml = signedEcf({ buyerRnc: tenant.rnc, encf, identity });
				return sendOnce(xml, await getPeerToken(service.url, identity));
			}),
		);
		expect(statuses.toSorted()).toEqual([200, 200, 200, 200, 200, 503, 503]);
		expect(await proofs(tenant)).toEqual(Array.from({ length: 5 }, () => "contested"));
		expect((await postReceived(tenant, signedEcf({ buyerRnc: tenant.rnc, encf }))).status).toBe(201);
		expect(await list(tenant)).toHaveLength(6);
	},
	TIMEOUT_MS,
);

/** 503 with an hour's pause is an answer here; one with two seconds' is a receiver that has no time. */
async function sendOnce(xml: string, token: string): Promise<number> {
	const body = `--b\r\nContent-Disposition: form-data; name=xml\r\n\r\n${xml}\r\n--b--\r\n`;
	const headers = { "content-type": "multipart/form-data; boundary=b", authorization: `Bearer ${token}` };
	let status = 0;
	await until(async () => {
		const answer = await fetch(`${service.url}${RECEPTION}`, { method: "POST", body, headers });
		status = answer.status;
		return status !== 503 || answer.headers.get("retry-after") === "3600";
	}, TIMEOUT_MS);
	return status;
}

test(
	"a document rejected by the authority can only be rejected and frees its number",
	async () => {
		const tenant = await createTenant(service);
		const encf = nextEncf();
		const xml = signedEcf({ buyerRnc: tenant.rnc, encf });
		await bringToAuthority(xml, { "x-sandbox-scenario": "reject" });
		const { id } = (await (await postReceived(tenant, xml)).json()) as ReceivedBody;
		await until(async () => (await list(tenant))[0]?.authorityStatus === "rejected", TIMEOUT_MS);
		const refused = postDecision(service, tenant, id, { decision: "approved" });
		expect(await expectProblem(refused, 409, "approval-already-decided")).toMatchObject({
			authorityStatus: "rejected",
		});
		expect((await postDecision(service, tenant, id, { decision: "rejected", reason: "No es válido" })).status).toBe(
			202,
		);
		const again = signedEcf({ buyerRnc: tenant.rnc, encf, orderNumber: "2" });
		expect(motiveOf(await send(again, identities.good))).toBe(0);
		expect(await proofs(tenant)).toEqual(["unproven", "contested"]);
		const [{ id: anewId = "" } = {}] = await list(tenant);
		expect((await postDecision(service, tenant, anewId, { decision: "approved" })).status).toBe(202);
	},
	TIMEOUT_MS,
);
