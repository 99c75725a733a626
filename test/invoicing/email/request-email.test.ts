/** What the `emails` of an invoice's request promise: one mail, when the document is accepted. */
import { beforeAll, expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { listEmails } from "../../api/support/emails";
import {
	buildInvoice,
	createTenant,
	postInvoice,
	sharedService,
	type Tenant,
	type TestService,
	untilDecided,
} from "../../support/service";
import { until } from "../../support/until";

const TIMEOUT_MS = 120_000;
const KIND = "invoice.asked-mail";

let service: TestService;
let tenant: Tenant;
beforeAll(async () => {
	service = await sharedService();
	tenant = await createTenant(service);
}, TIMEOUT_MS);

type Acknowledgement = { readonly docId: string; readonly warnings: readonly { code: string; pointer: string }[] };

async function issue(over: Record<string, unknown>): Promise<Acknowledgement> {
	const answer = await postInvoice(service, tenant, buildInvoice(tenant, over));
	expect(answer.status).toBe(202);
	return (await answer.json()) as Acknowledgement;
}

const untilDone = (docId: string) =>
	until(async () => {
		return (await service.sql`select 1 from outbox where subject = ${docId} and kind = ${KIND}`).length === 0;
	}, TIMEOUT_MS);

test(
	"an accepted document is mailed once to each usable address",
	async () => {
		const emails = ["compras@cliente.example", "COMPRAS@cliente.example", "root@localhost", "caja@cliente.example"];
		const { docId, warnings } = await issue({ emails });
		expect(warnings.filter(({ code }) => code === "not-mailable")).toMatchObject([{ pointer: "/emails/2" }]);
		expect(await untilDecided(service, tenant, docId)).toMatchObject({ status: "accepted" });
		await untilDone(docId);
		// A holder that died before it had settled its message leaves it to the next one.
		await service.sql`
			insert into outbox (id, kind, tenant_id, subject) select id, ${KIND}, tenant_id, doc_id from emails where doc_id = ${docId}`;
		await untilDone(docId);
		let items: Awaited<ReturnType<typeof listEmails>>["items"] = [];
		await until(async () => {
			({ items } = await listEmails(service, tenant, docId));
			return items[0]?.status === "sent";
		}, TIMEOUT_MS);
		expect(items).toMatchObject([{ to: ["COMPRAS@cliente.example", "caja@cliente.example"], attach: ["pdf", "xml"] }]);
		for (const { messageId } of items[0]?.recipients ?? [])
			expect(existsSync(join(service.dataDir, "mail", `${messageId}.eml`))).toBe(true);
	},
	TIMEOUT_MS,
);

test(
	"a rejected document, and one without addresses, is not mailed",
	async () => {
		const rejected = await issue({
			emails: ["compras@cliente.example"],
			customer: { rnc: "000000002", name: "RECHAZADO" },
		});
		const silent = await issue({});
		expect(await untilDecided(service, tenant, rejected.docId)).toMatchObject({ status: "rejected" });
		expect(await untilDecided(service, tenant, silent.docId)).toMatchObject({ status: "accepted" });
		const docIds = [rejected.docId, silent.docId];
		// The order is written with the verdict.
		expect(
			await service.sql`select 1 from outbox where subject = any(${docIds}::uuid[]) and kind = ${KIND}`,
		).toHaveLength(0);
	},
	TIMEOUT_MS,
);
