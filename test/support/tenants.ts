/** Companies that issue during a run, and the invoices that they issue. */

export type HarnessTenant = {
	readonly tenantId: string;
	readonly rnc: string;
	readonly name: string;
	/** The path of its webhook at the receiver. */
	readonly webhookPath: string;
	readonly webhookSecret: string;
	/** All webhooks of its registration, in order. */
	readonly webhooks: readonly RegisteredWebhook[];
	readonly clientId: string;
	readonly clientSecret: string;
	/** Both credentials with the token of the registration, valid for an hour. */
	readonly headers: Readonly<Record<string, string>>;
	/** The same with a fresh token, for runs longer than an hour. */
	readonly freshHeaders: () => Promise<Readonly<Record<string, string>>>;
};

export type RegisteredWebhook = { readonly id: string; readonly url: string; readonly secret: string };

const RENEW_AFTER_MS = 20 * 60_000;

const JSON_TYPE = { "content-type": "application/json; charset=utf-8" };
/** Another of the sample registry's active companies. */
const CUSTOMER = { rnc: "131880681", name: "FERRETERIA EL PROGRESO SRL" };

/**
 * Registers the sample registry's nth company, 1 to 20, under a key, with a webhook when a receiver is named. `over` adds to the
 * request, `morePaths` further webhooks at the receiver.
 */
export async function registerTenant(
	url: string,
	apiKey: string,
	n: number,
	receiverHost?: string,
	over: Record<string, unknown> = {},
	morePaths: readonly string[] = [],
): Promise<HarnessTenant> {
	const rnc = String(990_000_000 + n);
	const webhookPath = `/${rnc}`;
	const webhooks = receiverHost
		? [webhookPath, ...morePaths].map((path) => ({ url: `http://${receiverHost}${path}` }))
		: [];
	const company = (await call(`${url}/v1/company`, { "x-api-key": apiKey }, { rnc, webhooks, ...over }, 201)) as {
		tenantId: string;
		name: string;
		credentials: { clientId: string; clientSecret: string };
		webhooks: RegisteredWebhook[];
	};
	const { clientId, clientSecret } = company.credentials;
	const grant = { grant_type: "client_credentials", client_id: clientId, client_secret: clientSecret };
	const obtain = async () => {
		const { access_token } = (await call(`${url}/v1/auth/token`, {}, grant, 200)) as { access_token: string };
		return { "x-api-key": apiKey, authorization: `Bearer ${access_token}` };
	};
	const headers = await obtain();
	let fresh = headers;
	let renewAt = performance.now() + RENEW_AFTER_MS;
	const freshHeaders = async () => {
		if (performance.now() < renewAt) return fresh;
		try {
			fresh = await obtain();
			renewAt = performance.now() + RENEW_AFTER_MS;
		} catch {
			// The service is down, as it often is in these runs; the old token is valid long enough to retry.
		}
		return fresh;
	};
	return {
		tenantId: company.tenantId,
		rnc,
		name: company.name,
		webhookPath,
		webhookSecret: company.webhooks[0]?.secret ?? "",
		webhooks: company.webhooks,
		clientId,
		clientSecret,
		headers,
		freshHeaders,
	};
}

/** Every third is a small consumer invoice, which goes to the authority as a summary; the others go as they are. */
export function buildInvoice(tenant: HarnessTenant, n: number, over: Record<string, unknown> = {}) {
	const type = n % 3 === 0 ? "32" : "31";
	return {
		type,
		encf: `E${type}${String(n).padStart(10, "0")}`,
		company: { rnc: tenant.rnc, name: tenant.name },
		...(type === "31" ? { customer: CUSTOMER } : {}),
		lines: [
			{ line_number: 1, description: "Cemento gris 42.5kg", quantity: "10", unit_price: "450.00", subtotal: "4500.00" },
		],
		totals: { subtotal: "4500.00", tax: "810.00", grand_total: "5310.00" },
		...over,
	};
}

/** A credit note for the full amount of a document from `buildInvoice`. */
export function buildNote(tenant: HarnessTenant, n: number, encf: string) {
	// The day of signing in the country, which is four hours behind UTC.
	const issueDate = new Date(Date.now() - 4 * 3_600_000).toISOString().slice(0, 10);
	return {
		...buildInvoice(tenant, n),
		type: "34",
		encf: `E34${String(n).padStart(10, "0")}`,
		...(encf.startsWith("E31") ? { customer: CUSTOMER } : {}),
		reference: { encf, issue_date: issueDate, code: 3, reason: "Corrección de montos" },
	};
}

async function call(url: string, headers: Record<string, string>, body: unknown, expected: number): Promise<unknown> {
	const answer = await fetch(url, {
		method: "POST",
		headers: { ...JSON_TYPE, ...headers },
		body: JSON.stringify(body),
	});
	const text = await answer.text();
	if (answer.status !== expected) throw new Error(`POST ${url} answered ${answer.status}: ${text}`);
	return JSON.parse(text);
}
