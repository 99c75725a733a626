/** Commands on prepared invoices: what agents and colleagues want issued, and a person decides. */
import { UsageError } from "../arguments";
import { type Context, needId, Refusal, type Result } from "../context";
import { showInvoice } from "./invoices";

const LIST_MAX = 200;
/** What the service waits at most while it issues. */
const WAIT_MAX_S = 25;

/** Members of the body that have a row or a column of their own. */
const HAS_ROW =
	/^\/(type|encf|currency|customer\/(rnc|name)|totals\/(subtotal|tax|grand_total)|lines\/\d+\/(description|quantity|unit_price|subtotal|line_number))$/;

type Prepared = Awaited<ReturnType<ReturnType<Context["connect"]>["prepared"]["get"]>>;

export async function listPrepared(context: Context): Promise<Result> {
	const { args, connect, table, t } = context;
	const status = args.oneOf("status", ["waiting", "issued", "rejected", "expired"] as const, "waiting");
	const items = [];
	for await (const item of connect().prepared.list({ status, limit: 100 })) {
		items.push(item);
		if (items.length === LIST_MAX) break;
	}
	const rows = items.map(({ id, summary, expiresAt }) => [
		...[id, summary.type, summary.customer?.name ?? "", summary.totals.grand_total, summary.currency, expiresAt],
	]);
	const head = [
		"id",
		t("type", "tipo"),
		t("buyer", "comprador"),
		"total",
		t("currency", "moneda"),
		t("expires", "vence"),
	];
	return { data: items, lines: rows.length === 0 ? [t("none", "ninguno")] : table([head, ...rows]) };
}

export async function showPrepared(context: Context): Promise<Result> {
	const prepared = await context.connect().prepared.get(needId(context));
	return { data: prepared, lines: describe(context, prepared) };
}

function describe(
	{ table, t }: Context,
	{ id, sha256, status, summary, validation, invoice, docId, reason, expiresAt }: Prepared,
): string[] {
	const { customer, totals, currency } = summary;
	const rows = [
		["id", id],
		[t("status", "estado"), status],
		["e-NCF", `${summary.type}, ${summary.encf}`],
		[t("buyer", "comprador"), toOneLine([customer?.name, customer?.rnc].filter(Boolean).join(", "))],
		["subtotal", totals.subtotal],
		["ITBIS", totals.tax],
		["total", `${totals.grand_total} ${currency}`],
		[t("expires", "vence"), expiresAt],
		...(docId === null ? [] : [["docId", docId]]),
		...(reason === null ? [] : [[t("reason", "motivo"), reason]]),
		["sha256", sha256],
	];
	const lines = invoice.lines.map(({ description, quantity, unit_price, subtotal }) => [
		`  ${quantity} × ${unit_price}`,
		subtotal,
		toOneLine(description),
	]);
	const warnings = validation.warnings.map(({ code, detail }) => `  ${code}: ${detail}`);
	const others = listLeaves(invoice, "")
		.filter(({ pointer }) => !HAS_ROW.test(pointer))
		.map(({ pointer, text }) => [`  ${toOneLine(pointer)}`, text]);
	return [...table(rows), ...table(lines), ...table(others), ...warnings];
}

/** Every value of a body with its pointer: what is approved is all that is issued, such as the document that a note cancels. */
function listLeaves(value: unknown, pointer: string): { readonly pointer: string; readonly text: string }[] {
	if (typeof value !== "object" || value === null) return [{ pointer, text: toOneLine(String(value)) }];
	return Object.entries(value).flatMap(([name, inner]) => listLeaves(inner, `${pointer}/${name}`));
}

/** A text must not look like a row of its own. */
const toOneLine = (text: string) => text.replace(/\s+/g, " ");

/** The person decides on what is shown; the digest makes sure that nothing else is issued. */
export async function approvePrepared(context: Context): Promise<Result> {
	const { args, ask, confirm, connect, isInteractive, note, t } = context;
	const id = needId(context);
	const wait = args.integer("wait", 0, [0, WAIT_MAX_S]);
	const given = args.text("sha256");
	if (given !== undefined && !/^[0-9a-f]{64}$/.test(given))
		throw new UsageError(
			t("expected --sha256 with 64 hexadecimal digits", "se esperaba --sha256 con 64 dígitos hexadecimales"),
		);
	if (given === undefined && !isInteractive)
		throw new UsageError(t("--sha256 is needed: prepared show has it", "falta --sha256: prepared show lo muestra"));
	const { prepared } = connect();
	let sha256 = given;
	if (sha256 === undefined) {
		const shown = await prepared.get(id);
		for (const line of describe(context, shown)) note(line);
		if (!/^[ysí]/i.test(await ask(t("issue it? (y/N) ", "¿emitirlo? (s/N) "))))
			throw new Refusal(t("not done", "no se hizo"));
		sha256 = shown.sha256;
	} else await confirm(t("issue", "emitir"));
	return showInvoice(context, await prepared.approve(id, { sha256 }, wait > 0 ? { wait } : {}));
}

export async function rejectPrepared(context: Context): Promise<Result> {
	const { args, connect } = context;
	const reason = args.text("reason");
	const rejected = await connect().prepared.reject(needId(context), reason === undefined ? {} : { reason });
	return { data: rejected, lines: describe(context, rejected) };
}
