/** Everything that can fail on our side fails before the intent is written, so an unsent decision never counts as possibly arrived. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { createSendToIssuer, type SendApprovalOptions } from "../../../src/exchange/approvals/send-approval";
import { insertApproval, insertDeliveries, keepDocument } from "../../../src/exchange/approvals/store";
import { insertReceived } from "../../../src/exchange/reception/store";
import { append } from "../../../src/platform/outbox";
import { newId, systemClock } from "../../../src/platform/values";
import { openTestDatabase, type TestDatabase } from "../../support/database";
import { holdMessage } from "../../support/held-messages";
import { addCompany } from "../../support/submission";
import { until } from "../../support/until";

let database: TestDatabase;
beforeAll(async () => {
	database = await openTestDatabase();
}, 120_000);
afterAll(() => database.close());

/** A decision that is signed with an earlier certificate of the company. */
async function addWord() {
	const { sql } = database;
	const tenantId = await addCompany(sql);
	const [id, receivedDocumentId] = [newId(), newId()];
	const of = {
		tenantId,
		issuerRnc: "101010101",
		buyerRnc: "990000001",
		encf: "E310000000001",
		issueDate: "2026-11-20",
	};
	const at = new Date();
	await sql.begin(async (tx) => {
		await insertReceived(
			tx,
			{
				...{ ...of, id: receivedDocumentId, issuerName: "PROVEEDOR", type: "31", subtotal: "100.00", tax: "18.00" },
				...{ grandTotal: "118.00", orderNumber: null, segment: "testecf", sha256: "ab".repeat(32), signer: "IDCDO-1" },
				...{
					securityCode: "a1B2c3",
					signedAtText: "20-11-2026 10:20:00",
					authorityStatus: "accepted",
					source: "import",
				},
				receivedAt: at,
			},
			Buffer.from("<ECF/>"),
			undefined,
		);
		await insertApproval(tx, {
			...{ ...of, id, direction: "out", receivedDocumentId, docId: null, total: "118.00", decision: "approved" },
			...{ reason: null, purchaseOrder: null, signer: null, decidedAt: at, createdAt: at },
		});
		await insertDeliveries(tx, { tenantId, approvalId: id });
		const bytes = Buffer.from("<ACECF><X509Certificate>b3RybyBjZXJ0aWZpY2Fkbw==</X509Certificate></ACECF>");
		await keepDocument(tx, { approvalId: id, tenantId, bytes, sha256: Buffer.alloc(32), signedAt: at });
	});
	return { tenantId, id };
}

test("a decision whose signer cannot be looked up is retried and counts as not sent", async () => {
	const { sql, owner } = database;
	const { tenantId, id: subject } = await addWord();
	await sql.begin((tx) => append(tx, { kind: "approval.issuer", tenantId, subject }));
	const message = await holdMessage(sql, subject);
	const listed = Promise.withResolvers<void>();
	const asked = Promise.withResolvers<void>();
	const sent: unknown[] = [];
	const receiver = {
		approvalUrl: "https://issuer.example/",
		receptionUrl: "https://issuer.example/",
		authenticationUrl: null,
	};
	const deps = {
		...{ sql, clock: systemClock },
		directory: {
			findReceiver: async () => {
				asked.resolve();
				await listed.promise;
				return { kind: "listed", receiver };
			},
		},
		peers: { sendApproval: async (...it: unknown[]) => sent.push(it) },
	} as unknown as SendApprovalOptions;
	const handled = createSendToIssuer(deps)(message).catch((error: unknown) => error);
	await asked.promise;
	await owner.begin(async (tx) => {
		await tx`lock table signing_certificates in access exclusive mode`;
		listed.resolve();
		const waiting = () => owner<{ pid: number }[]>`
			select pid from pg_locks where relation = 'signing_certificates'::regclass and not granted`;
		await until(async () => (await waiting()).length > 0);
		await owner`select pg_cancel_backend(${(await waiting())[0]?.pid ?? 0})`;
		expect(await handled).toMatchObject({ code: "57014" });
	});
	expect(sent).toEqual([]);
	expect([...(await sql`select 1 from approval_papers where approval_id = ${subject} and kind = 'intent'`)]).toEqual(
		[],
	);
});
