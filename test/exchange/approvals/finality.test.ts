/** Of any number of concurrent decisions one stands, and it is sent and reported once. */
import { beforeAll, expect, test } from "bun:test";
import fc from "fast-check";
import { createTenant, get, sharedService, type Tenant, type TestService } from "../../support/service";
import { sendAcecf, signedAcecf } from "./support/peers";
import { postDecision, receive, sell, strangers, WAIT_MS } from "./support/words";

let service: TestService;
let tenant: Tenant;
beforeAll(async () => {
	service = await sharedService();
	tenant = await createTenant(service);
}, WAIT_MS);

const decisions = fc.array(fc.constantFrom("approved" as const, "rejected" as const), { minLength: 2, maxLength: 12 });
const reasonOf = (decision: string) => (decision === "rejected" ? { reason: "No es lo pedido" } : {});

test(
	"of concurrent decisions one is made: equal ones share it, others are refused",
	async () => {
		await fc.assert(
			fc.asyncProperty(decisions, fc.boolean(), async (all, withKeys) => {
				const documentId = await receive(service, tenant, strangers());
				const post = (decision: string): Promise<Response> => {
					const key: Record<string, string> = withKeys ? { "idempotency-key": crypto.randomUUID() } : {};
					return postDecision(service, tenant, documentId, { decision, ...reasonOf(decision) }, key);
				};
				const answers = await Promise.all(all.map(post));
				const results = await Promise.all(
					answers.map(async (answer, i) => {
						const body = (await answer.json()) as { approvalId: string; decision: string };
						return { status: answer.status, asked: all[i], approvalId: body.approvalId, decision: body.decision };
					}),
				);
				const [made, ...more] = results.filter(({ status }) => status === 202);
				expect([made?.asked === made?.decision, more]).toEqual([true, []]);
				for (const { status, asked, approvalId, decision } of results) {
					expect(`${approvalId} ${decision}`).toBe(`${made?.approvalId} ${made?.decision}`);
					if (status !== 202) expect(status).toBe(asked === decision ? 200 : 409);
				}
				const messages = await service.sql<{ kind: string }[]>`
					select kind from outbox
					where subject = ${made?.approvalId ?? ""} and kind in ('approval.authority', 'approval.issuer') order by kind`;
				expect(messages.map(({ kind }) => kind)).toEqual(["approval.authority", "approval.issuer"]);
			}),
			{ numRuns: 12 },
		);
	},
	WAIT_MS,
);

test(
	"of a buyer's concurrent decisions the first stands and is reported once",
	async () => {
		await fc.assert(
			fc.asyncProperty(decisions, async (all) => {
				const sold = await sell(service, tenant, "131880681");
				const documents = { approved: signedAcecf(sold), rejected: signedAcecf(sold, { state: "2" }) };
				const statuses = await Promise.all(all.map(async (one) => (await sendAcecf(service, documents[one])).status));
				const list = await get(service, `/v1/approvals?docId=${sold.docId}`, tenant.headers);
				const { items } = (await list.json()) as { items: { decision: string }[] };
				expect(items).toHaveLength(1);
				expect(statuses).toEqual(all.map((one) => (one === items[0]?.decision ? 200 : 400)));
				const events = await service.sql`
					select 1 from events where event = 'approval.received' and doc_id = ${sold.docId}`;
				expect(events).toHaveLength(1);
			}),
			{ numRuns: 5 },
		);
	},
	WAIT_MS,
);
