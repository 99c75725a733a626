/** The real service in a separate process with its own PostgreSQL in a temporary folder, and callers for it. */
import { makeFolder, type Program, ROOT, startProgram } from "./child";
import { buildInvoice } from "./invoice";
import type { RequestTemplate } from "./load";

export type Service = Program & {
	readonly dataDir: string;
	/** The folder of its build. */
	readonly root: string;
	readonly settings: Readonly<Record<string, string>>;
};
export type Company = {
	readonly tenantId: string;
	readonly rnc: string;
	readonly name: string;
	/** Both credentials, as required for invoices. */
	readonly headers: Readonly<Record<string, string>>;
};

const COMPANIES_MAX = 20;

/** Starts the service with its defaults, including the log, and these settings. */
export async function startService(
	stack: AsyncDisposableStack,
	settings: Readonly<Record<string, string>>,
	root = ROOT,
): Promise<Service> {
	const dataDir = makeFolder(stack);
	const all = { PORT: "0", DATA_DIR: dataDir, ...settings };
	const program = await startProgram(stack, "src/main.ts", all, root);
	return { ...program, dataDir, root, settings: all };
}

/** Creates a key without rate limits by the operator command. */
export async function createKey(service: Service): Promise<string> {
	const command = ["keys", "create", "--plan", "unlimited", "--label", "bench", "--json"];
	const child = Bun.spawn([process.execPath, "scripts/admin.ts", ...command], {
		cwd: service.root,
		stdin: "ignore",
		stdout: "pipe",
		stderr: "pipe",
		env: { PATH: process.env.PATH ?? "", HOME: process.env.HOME ?? "", ...service.settings },
	});
	const [stdout, stderr] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()]);
	if ((await child.exited) !== 0) throw new Error(`the operator's command made no key: ${stderr}`);
	return (JSON.parse(stdout) as { key: string }).key;
}

/** Registers sample companies, each with credentials and, if an address is given, a webhook. */
export async function registerCompanies(service: Service, count: number, webhookUrl?: string): Promise<Company[]> {
	if (count > COMPANIES_MAX) throw new RangeError(`the sample has ${COMPANIES_MAX} companies for this, not ${count}`);
	const apiKey = await createKey(service);
	const numbers = Array.from({ length: count }, (_, i) => String(990_000_001 + i));
	return Promise.all(numbers.map((rnc) => registerCompany(service, apiKey, rnc, webhookUrl)));
}

async function registerCompany(
	service: Service,
	apiKey: string,
	rnc: string,
	webhookUrl: string | undefined,
): Promise<Company> {
	const key = { "x-api-key": apiKey };
	const webhooks = webhookUrl === undefined ? [] : [{ url: webhookUrl }];
	const company = await post<{
		tenantId: string;
		name: string;
		credentials: { clientId: string; clientSecret: string };
	}>(`${service.url}/v1/company`, key, { rnc, webhooks });
	const { clientId, clientSecret } = company.credentials;
	const token = await post<{ access_token: string }>(`${service.url}/v1/auth/token`, key, {
		grant_type: "client_credentials",
		client_id: clientId,
		client_secret: clientSecret,
	});
	const { tenantId, name } = company;
	return { tenantId, rnc, name, headers: { ...key, authorization: `Bearer ${token.access_token}` } };
}

async function post<T>(url: string, headers: Record<string, string>, body: unknown): Promise<T> {
	const response = await fetch(url, {
		method: "POST",
		headers: { "content-type": "application/json; charset=utf-8", ...headers },
		body: JSON.stringify(body),
	});
	if (!response.ok) throw new Error(`${url} answered ${response.status}: ${await response.text()}`);
	return (await response.json()) as T;
}

/** A company's `POST /v1/invoices`, each time with a new number and idempotency key. */
export function toInvoiceRequest(company: Company): RequestTemplate {
	return {
		method: "POST",
		path: "/v1/invoices",
		headers: {
			...company.headers,
			"content-type": "application/json; charset=utf-8",
			"idempotency-key": "{{uuid}}",
		},
		body: JSON.stringify(buildInvoice(company, "E31{{number}}")),
	};
}
