/** What the cases of the scenario name: companies, documents and signed webhooks of a real service. */
import { createHmac } from "node:crypto";
import { createTenant, postInvoice, type Tenant, type TestService, untilDecided } from "../support/service";

/** Values by their names in the scenario. */
export type World = {
	readonly valuesOf: (tenant: Tenant) => Readonly<Record<string, unknown>>;
	readonly tenant: Tenant;
};

const NUMBERED = { company: { settings: { sequenceMode: "service" } } } as const;

/** A company of its own for a case that counts documents. */
export const createIssuer = (service: TestService): Promise<Tenant> => createTenant(service, NUMBERED);

export async function createWorld(service: TestService): Promise<World> {
	const tenant = await createIssuer(service);
	const issuerOf = ({ rnc, name }: Tenant) => ({ rnc, name });
	const bodyOf = (of: Tenant, over: Record<string, unknown> = {}) => ({
		...{ type: "32", encf: "auto", company: issuerOf(of) },
		lines: [
			{ line_number: 1, description: "Café molido 1 lb", quantity: "2", unit_price: "250.00", subtotal: "500.00" },
		],
		totals: { subtotal: "500.00", tax: "90.00", grand_total: "590.00" },
		...over,
	});
	const issue = async (headers: Record<string, string>) => {
		const answer = await postInvoice(service, tenant, bodyOf(tenant), headers);
		if (answer.status !== 202) throw new Error(`invoice: ${answer.status} ${await answer.text()}`);
		return ((await answer.json()) as { docId: string }).docId;
	};
	const usedKey = crypto.randomUUID();
	const other = bodyOf(tenant, { notes: "another body" });
	await postInvoice(service, tenant, other, { "idempotency-key": usedKey });
	const docId = await issue({});
	const rejectedId = await issue({ "x-sandbox-scenario": '{"scenario": "reject", "code": "614"}' });
	const pendingId = await issue({ "x-sandbox-scenario": '{"scenario": "accept", "after": "600s"}' });
	for (let n = 0; n < 3; n++) await issue({});
	for (const id of [docId, rejectedId]) await untilDecided(service, tenant, id);

	const post = async (path: string, credentials: Readonly<Record<string, string>>, body: unknown) => {
		const answer = await fetch(`${service.url}${path}`, {
			method: "POST",
			headers: { ...credentials, "content-type": "application/json", "idempotency-key": crypto.randomUUID() },
			body: JSON.stringify(body),
		});
		if (answer.status !== 201) throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
		return (await answer.json()) as { id: string; key: string };
	};
	const limited = { label: "read only", scopes: ["invoices:read"] };
	const { key: readKey } = await post("/v1/api-keys", tenant.headers, limited);
	const { id: watchlistId } = await post("/v1/watchlists", { "x-api-key": tenant.apiKey }, { name: "Proveedores" });
	const { id: webhookId } = await post("/v1/webhooks", tenant.headers, {
		url: `http://${service.receiver.host}/scenario`,
	});

	const values = { docId, rejectedId, pendingId, usedKey, readKey, watchlistId, webhookId, ...signedWebhook(docId) };
	return {
		tenant,
		valuesOf: (of) => ({
			...values,
			...{ apiKey: of.apiKey, clientId: of.clientId, clientSecret: of.clientSecret, token: of.token },
			...{ tenantId: of.tenantId, rnc: of.rnc, uuid: crypto.randomUUID() },
			invoice32: bodyOf(of),
			spanish32: bodyOf(of, { lines: [{ ...bodyOf(of).lines[0], description: "Piñas & ajíes — 1 lb" }] }),
			invalid32: bodyOf(of, {
				lines: [{ ...bodyOf(of).lines[0], quantity: "2,0" }],
				totals: { subtotal: "500.00", tax: "9e1", grand_total: "590.00" },
			}),
			wrongTotals32: bodyOf(of, { totals: { subtotal: "500.00", tax: "90.00", grand_total: "591.00" } }),
			large31: bodyOf(of, {
				...{ type: "31", customer: { rnc: "990000002", name: "CLIENTE SRL" } },
				lines: [
					{
						...{ line_number: 1, description: "Obra", quantity: "1", tax_rate: "18" },
						...{ unit_price: "1234567890123456.78", subtotal: "1234567890123456.78" },
					},
				],
				totals: { subtotal: "1234567890123456.78", tax: "222222220222222.22", grand_total: "1456790110345679.00" },
			}),
		}),
	};
}

/** A webhook with both families of signatures, and copies that must be refused. */
function signedWebhook(docId: string): Readonly<Record<string, unknown>> {
	const webhookSecret = "whsec_c2VjcmV0IG9mIHRoZSBzY2VuYXJpbyBmb3IgU0RLcw==";
	const other = "whsec_YW5vdGhlciBzZWNyZXQ=";
	const deliveryId = "0192f121-7a00-7b11-9c22-334455667788";
	const webhookTime = 1_764_000_000;
	const webhookBody = JSON.stringify({ event: "invoice.accepted", docId, note: "añadido después" });
	const sign = (secret: string) =>
		`t=${webhookTime},v1=${createHmac("sha256", secret).update(`${webhookTime}.${webhookBody}`).digest("hex")}`;
	const signStandard = (secret: string) => {
		const key = Buffer.from(secret.replace("whsec_", ""), "base64");
		return `v1,${createHmac("sha256", key).update(`${deliveryId}.${webhookTime}.${webhookBody}`).digest("base64")}`;
	};
	return {
		...{ webhookSecret, deliveryId, webhookTime, webhookBody },
		webhookTimeText: String(webhookTime),
		webhookTimeLate: webhookTime + 301,
		webhookTimeEarly: webhookTime - 301,
		alteredBody: webhookBody.replace("accepted", "rejected"),
		signature: sign(webhookSecret),
		otherSignature: sign(other),
		standardSignatures: [other, webhookSecret].map(signStandard).join(" "),
	};
}
