/** Commands on invoices. */
import { readFileSync, writeFileSync } from "node:fs";
import { buildInvoice, RejectedError, SelloError } from "../../sdk/typescript";
import { UsageError } from "../arguments";
import { type Context, needId, Refusal, type Result } from "../context";
import { EXIT } from "../take-order";

/** What the service waits at most while it issues. */
const WAIT_MAX_S = 25;

type Invoice = ReturnType<typeof buildInvoice>;
/** What is shown of an invoice, in whichever answer it stands. */
type Shown = {
	readonly docId: string;
	readonly encf: string;
	readonly status: string;
	readonly authority?: { readonly code?: string; readonly title?: string };
	readonly failure?: { readonly code: string; readonly detail: string };
};

export async function createInvoice(context: Context): Promise<Result> {
	const { args, t } = context;
	const wait = args.integer("wait", 0, [0, 300]);
	const body = args.has("file") ? readBody(context) : await buildBody(context);
	const isRehearsal = args.has("dry-run");
	if (!isRehearsal) await context.confirm(t("issue", "emitir"));
	const key = args.text("idempotency-key");
	const scenario = args.text("scenario");
	const options = {
		...(wait > 0 ? { wait: Math.min(wait, WAIT_MAX_S) } : {}),
		...(key === undefined ? {} : { idempotencyKey: key }),
		...(scenario === undefined ? {} : { scenario: JSON.stringify({ scenario }) }),
	};
	const { invoices } = context.connect();
	if (isRehearsal) {
		const checked = await invoices.create(body, { ...options, dry_run: true });
		const warnings = checked.warnings.map(({ code, detail }) => `  ${code}: ${detail}`);
		return { data: checked, lines: [t("valid; nothing was stored", "válido; no se guardó nada"), ...warnings] };
	}
	const answer = await invoices.create(body, options).catch((error: unknown) => {
		// It exists, and is shown like any other.
		if (error instanceof RejectedError) return invoices.get(error.docId);
		throw error;
	});
	if (wait <= WAIT_MAX_S || answer.status !== "pending") return showInvoice(context, answer);
	const status = await invoices.waitFor(answer.docId, { timeoutMs: (wait - WAIT_MAX_S) * 1_000 });
	return showInvoice(context, { ...answer, ...status });
}

function readBody({ args, t }: Context): Invoice {
	const further = ["type", "item", "customer", "customer-name", "prices", "encf"].find((name) => args.has(name));
	if (further !== undefined)
		throw new UsageError(t(`--file and --${further} do not go together`, `--file y --${further} no van juntos`));
	const file = args.need("file");
	try {
		return JSON.parse(readFileSync(file === "-" ? 0 : file, "utf8")) as Invoice;
	} catch (error) {
		throw new UsageError(`--file ${file}: ${(error as Error).message}`);
	}
}

async function buildBody(context: Context): Promise<Invoice> {
	const { args, t } = context;
	const items = args.texts("item");
	if (items.length === 0) throw new UsageError(t("--file or --item is needed", "falta --file o --item"));
	const lines = items.map((text) => readItem(text, t));
	const rnc = args.text("customer");
	const name = args.text("customer-name");
	if (name !== undefined && rnc === undefined)
		throw new UsageError(t("--customer-name goes with --customer", "--customer-name va con --customer"));
	const company = await findIssuer(context);
	const found = rnc === undefined || name !== undefined ? undefined : await context.connect().registry.lookup(rnc);
	const customer = rnc === undefined ? undefined : { rnc, name: name ?? found?.name ?? rnc };
	try {
		return buildInvoice({
			...{ type: (args.text("type") ?? "32") as Invoice["type"], company, lines },
			prices: args.oneOf("prices", ["net", "gross"] as const, "net"),
			...(customer === undefined ? {} : { customer }),
			...(args.has("encf") ? { encf: args.need("encf") } : {}),
		});
	} catch (error) {
		throw error instanceof SelloError ? new UsageError(error.message) : error;
	}
}

/** `Description:quantity:unit price[:tax rate]`; the description may hold colons. Throws: UsageError. */
function readItem(text: string, t: Context["t"]) {
	const number = "\\d{1,16}(?:\\.\\d{1,4})?";
	const [, description = "", quantity = "", unitPrice = "", taxRate] =
		new RegExp(`^(.+?):(${number}):(${number})(?::(18|16|0|exempt))?$`).exec(text) ?? [];
	if (description.trim() === "")
		throw new UsageError(
			t(
				`expected --item Description:quantity:price[:18|16|0|exempt], got ${text}`,
				`se esperaba --item Descripción:cantidad:precio[:18|16|0|exempt], se recibió ${text}`,
			),
		);
	return { description, quantity, unitPrice, taxRate: (taxRate ?? "18") as "18" | "16" | "0" | "exempt" };
}

/** The issuer is the account's company. */
export async function findIssuer(context: Context): Promise<{ rnc: string; name: string }> {
	const { rnc, name } = context.account;
	if (rnc !== undefined && name !== undefined) return { rnc, name };
	for await (const company of context.connect().companies.list({ limit: 1 }))
		return { rnc: company.rnc, name: company.name };
	throw new Refusal(
		context.t("no company: sello company create RNC", "sin empresa: sello company create RNC"),
		EXIT.credentials,
	);
}

/** A rejection and a failure of the service have exit codes of their own. */
export function showInvoice(
	{ paint, table, t }: Context,
	invoice: Shown & { readonly print?: { readonly qrUrl: string; readonly securityCode: string } },
): Result {
	const { docId, encf, status, authority, failure, print } = invoice;
	const style = status === "accepted" ? "green" : status === "pending" ? "yellow" : "red";
	const code = authority?.code;
	const rows = [
		["docId", docId],
		["e-NCF", encf],
		[t("status", "estado"), paint(style, status)],
		...(code === undefined || status === "accepted"
			? []
			: [[t("code", "código"), `${code} ${authority?.title ?? ""}`.trim()]]),
		...(failure === undefined ? [] : [[t("failure", "falla"), `${failure.code}: ${failure.detail}`]]),
		...(print === undefined
			? []
			: [
					[t("security code", "código de seguridad"), print.securityCode],
					["QR", print.qrUrl],
				]),
	];
	const hint =
		code !== undefined && status === "rejected"
			? [t(`why: sello explain ${code}`, `por qué: sello explain ${code}`)]
			: [];
	const exitCode = status === "rejected" ? EXIT.rejected : status === "failed" ? EXIT.refused : EXIT.done;
	return { data: invoice, lines: [...table(rows), ...hint], exitCode };
}

export async function listInvoices(context: Context): Promise<Result> {
	const { args, table, t } = context;
	const limit = args.integer("limit", 20, [1, 1_000]);
	const filters = ["status", "type", "from", "to"].flatMap((name) => (args.has(name) ? [[name, args.text(name)]] : []));
	const items = [];
	const list = context.connect().invoices.list({ ...Object.fromEntries(filters), limit: Math.min(limit, 100) });
	for await (const item of list) {
		items.push(item);
		if (items.length === limit) break;
	}
	const rows = items.map((item) => [
		...[item.issueDate, item.encf, item.status, item.code ?? "", item.totals.grand_total, item.currency],
		...[item.customer?.name ?? "", item.docId],
	]);
	const head = [
		t("date", "fecha"),
		"e-NCF",
		t("status", "estado"),
		t("code", "código"),
		"total",
		t("currency", "moneda"),
		t("buyer", "comprador"),
		"docId",
	];
	return { data: items, lines: rows.length === 0 ? [t("no invoices", "sin comprobantes")] : table([head, ...rows]) };
}

export async function getInvoice(context: Context): Promise<Result> {
	const docId = needId(context);
	const wait = context.args.integer("wait", 0, [0, 300]);
	const { invoices } = context.connect();
	if (wait > 0) await invoices.waitFor(docId, { timeoutMs: wait * 1_000 });
	return showInvoice(context, await invoices.get(docId));
}

export async function saveInvoice(context: Context): Promise<Result | undefined> {
	const { args, t } = context;
	const docId = needId(context);
	const format = args.oneOf("format", ["a4", "thermal_80", "thermal_58", "escpos"] as const, "a4");
	const file = await context.connect().invoices.pdf(docId, { format });
	const bytes = await file.bytes();
	const out = args.text("out") ?? `${docId}.${format === "escpos" ? "bin" : "pdf"}`;
	if (out === "-") {
		process.stdout.write(bytes);
		return undefined;
	}
	try {
		writeFileSync(out, bytes);
	} catch (error) {
		throw new Refusal(`${out}: ${(error as Error).message}`);
	}
	return {
		data: { file: out, bytes: bytes.length },
		lines: [t(`${out}, ${bytes.length} bytes`, `${out}, ${bytes.length} bytes`)],
	};
}

export async function retryInvoice(context: Context): Promise<Result> {
	const docId = needId(context);
	await context.confirm(context.t("send it again", "volver a enviarlo"));
	return showInvoice(context, await context.connect().invoices.retry(docId));
}
