/** Commands on the taxpayer registry. */
import { appendFileSync, existsSync, readFileSync, renameSync, truncateSync, writeFileSync } from "node:fs";
import { UsageError } from "../arguments";
import { type Context, Refusal, type Result } from "../context";
import { readCsv, type Separator, separatorOf, writeCsvRow } from "../csv";
import { EXIT } from "../take-order";

const BATCH = 100;
/** How many rows are looked at to find the column of numbers. */
const SAMPLE = 50;
const ADDED = ["outcome", "registry_name", "registry_status", "registry_regime"] as const;
const ACTIVE = "ACTIVO";

export async function lookUp({ args, connect, paint, table, t }: Context): Promise<Result> {
	const entry = await connect().registry.lookup((args.operand ?? "").replaceAll("-", ""));
	return {
		data: entry,
		lines: table([
			["RNC", entry.rnc],
			[t("name", "nombre"), entry.name],
			[t("trade name", "nombre comercial"), entry.trade_name],
			[t("status", "estado"), paint(entry.status === ACTIVE ? "green" : "red", entry.status)],
			[t("activity", "actividad"), entry.economic_activity],
			[t("regime", "régimen"), entry.payment_regime],
		]),
	};
}

export async function search({ args, connect, table, t }: Context): Promise<Result> {
	const limit = args.integer("limit", 10, [1, 50]);
	const { items, didYouMean } = await connect().registry.search({ q: args.operands.join(" "), field: "name", limit });
	const rows = items.map(({ rnc, name, trade_name, status }) => [rnc, name, trade_name, status]);
	const nothing = [
		t("nothing found", "sin resultados"),
		...(didYouMean === undefined ? [] : [t(`did you mean: ${didYouMean}`, `quizás quiso decir: ${didYouMean}`)]),
	];
	return {
		data: items,
		lines: rows.length === 0 ? nothing : table(rows),
		exitCode: rows.length === 0 ? EXIT.refused : EXIT.done,
	};
}

/**
 * Looks every number of a CSV file up and writes its rows again with what was found.
 *
 *     rows ──▶ batches of 100 ──▶ FILE-checked.csv.part, a batch at a time ──▶ FILE-checked.csv
 *
 * What is in the unfinished file of an interrupted run is not looked up again.
 */
export async function check(context: Context): Promise<Result> {
	const { args, connect, progress, t } = context;
	const failOn = readFailOn(context);
	const file = args.operand ?? "";
	const text = readFile(file);
	const separator = separatorOf(text);
	const [head = [], ...rows] = readCsv(text);
	const column = findColumn(context, head, rows);
	const out = args.text("out") ?? `${file.replace(/\.csv$/i, "")}-checked.csv`;
	const unfinished = `${out}.part`;
	const done = resume(context, unfinished, { head, rows, separator });
	const counts = { found: 0, inactive: 0, missing: 0 };
	let invalid = 0;
	const count = (outcome: string, status: string) => {
		if (outcome === "invalid") invalid++;
		if (outcome !== "found") counts.missing++;
		else if (status !== ACTIVE) counts.inactive++;
		else counts.found++;
	};
	for (const cells of done) count(cells[head.length] ?? "", cells[head.length + 2] ?? "");
	const { registry } = connect();
	for (let at = done.length; at < rows.length; at += BATCH) {
		progress(t(`${at} of ${rows.length}`, `${at} de ${rows.length}`));
		const batch = rows.slice(at, at + BATCH);
		const documents = batch.map((cells) => (cells[column] ?? "").replace(/[\s-]/g, ""));
		// The service refuses an empty number with the whole request.
		const { results } = await registry.lookupBatch({ documents: documents.map((one) => one || "0") });
		const lines = batch.map((cells, i) => {
			const result = results[i];
			const outcome = result?.outcome ?? "invalid";
			const entry = result?.outcome === "found" ? result.entry : undefined;
			count(outcome, entry?.status ?? "");
			const found = [outcome, entry?.name ?? "", entry?.status ?? "", entry?.payment_regime ?? ""];
			return writeCsvRow([...head.map((_, n) => cells[n] ?? ""), ...found], separator);
		});
		atFile(unfinished, () => appendFileSync(unfinished, lines.join("")));
	}
	atFile(out, () => renameSync(unfinished, out));
	const isBad = failOn.some((kind) => counts[kind] > 0);
	const summary = `${rows.length}: ${counts.found} ${t("active", "activos")}, ${counts.inactive} ${t("inactive", "inactivos")}, ${counts.missing} ${t("missing", "ausentes")}`;
	const unreadable = t(`(${invalid} without 9 or 11 digits)`, `(${invalid} sin 9 u 11 dígitos)`);
	return {
		data: { file: out, rows: rows.length, ...counts, invalid },
		lines: [invalid === 0 ? summary : `${summary} ${unreadable}`, out],
		exitCode: isBad ? EXIT.refused : EXIT.done,
	};
}

function readFailOn({ args, t }: Context): ("inactive" | "missing")[] {
	return args.list("fail-on").map((kind) => {
		if (kind === "inactive" || kind === "missing") return kind;
		throw new UsageError(
			t(
				`expected --fail-on inactive,missing, got ${kind}`,
				`se esperaba --fail-on inactive,missing, se recibió ${kind}`,
			),
		);
	});
}

function readFile(file: string): string {
	try {
		const bytes = readFileSync(file);
		const text = new TextDecoder("utf-8").decode(bytes);
		// Spreadsheets of Windows save in its own encoding.
		return text.includes("\uFFFD") ? new TextDecoder("windows-1252").decode(bytes) : text;
	} catch (error) {
		throw new UsageError(`${file}: ${(error as Error).message}`);
	}
}

/** The index of the column with the numbers. Throws: UsageError. */
function findColumn({ args, t }: Context, head: readonly string[], rows: readonly (readonly string[])[]): number {
	const name = args.text("column");
	const looksLikeNumber = (cell = "") => /^(\d{9}|\d{11})$/.test(cell.replace(/[\s-]/g, ""));
	const found =
		name === undefined
			? head.findIndex((_, i) => rows.slice(0, SAMPLE).some((cells) => looksLikeNumber(cells[i])))
			: head.indexOf(name);
	if (found >= 0) return found;
	throw new UsageError(
		name === undefined
			? t(
					"no column holds numbers of 9 or 11 digits; name it with --column",
					"ninguna columna tiene números de 9 u 11 dígitos; nómbrela con --column",
				)
			: t(
					`no column is called ${name}; there are: ${head.join(", ")}`,
					`ninguna columna se llama ${name}; hay: ${head.join(", ")}`,
				),
	);
}

type List = {
	readonly head: readonly string[];
	readonly rows: readonly (readonly string[])[];
	readonly separator: Separator;
};

/** The rows of an interrupted run on the same input; begins the file if there are none. */
function resume({ note, t }: Context, file: string, { head, rows, separator }: List): string[][] {
	const first = writeCsvRow([...head, ...ADDED], separator);
	if (existsSync(file)) {
		const text = readFileSync(file, "utf8");
		// A row may have been cut.
		const whole = text.slice(0, text.lastIndexOf("\n") + 1);
		const [, ...done] = readCsv(whole, separator);
		const isSame =
			whole.startsWith(first) && done.every((cells, i) => head.every((_, n) => cells[n] === (rows[i]?.[n] ?? "")));
		if (isSame && done.length <= rows.length) {
			truncateSync(file, Buffer.byteLength(whole));
			note(t(`going on after ${done.length} rows`, `continúa después de ${done.length} filas`));
			return done;
		}
	}
	atFile(file, () => writeFileSync(file, first));
	return [];
}

function atFile(file: string, work: () => void): void {
	try {
		work();
	} catch (error) {
		throw new Refusal(`${file}: ${(error as Error).message}`);
	}
}
