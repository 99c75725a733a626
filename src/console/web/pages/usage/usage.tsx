/** What the company's programs asked of the service in a month: by day, and by operation. */
import { useQuery } from "@tanstack/react-query";
import { Gauge } from "lucide-react";
import { useSearchParams } from "wouter";
import { type CallError, call } from "../../api/call";
import type { UsageReport } from "../../api/generated";
import { callKey, useCall } from "../../api/use-call";
import { useFormat } from "../../app/format";
import { useLanguage, useWords } from "../../app/language";
import { useHere } from "../../app/session";
import { frameWords } from "../../app/words";
import { Bars, Figures } from "../../kit/charts";
import { Field, Select } from "../../kit/field";
import { PageTitle } from "../../kit/page-title";
import { Block, Callout, Empty } from "../../kit/states";
import { Table } from "../../kit/table";
import { words } from "./words";

type Item = UsageReport["items"][number];
type Usage = Pick<UsageReport, "from" | "to" | "totals"> & {
	readonly items: readonly Item[];
	/** The sums have all; days and operations lack some. */
	readonly isCut: boolean;
};
type Sum = { readonly requests: number; readonly billed: number; readonly limited: number; readonly failed: number };

const PAGE = 100;
const ITEMS_MAX = 5_000;
const MONTHS = 12;
const DAY_MS = 86_400_000;

export default function UsagePage() {
	const t = useWords(words);
	const [params, setParams] = useSearchParams();
	const months = readMonths();
	const [present = ""] = months;
	const wanted = params.get("month") ?? present;
	const month = months.includes(wanted) ? wanted : present;
	const asked = useQuery<Usage, CallError>({
		queryKey: [...callKey("getUsage"), month, useLanguage()],
		queryFn: ({ signal }) => collectUsage(month, signal),
	});
	const namesOfMonths = useMonthNames();
	const empty = (
		<Empty
			title={t("noUsage")}
			icon={Gauge}
			actions={
				<a className="button button-plain" href="/docs" target="_blank" rel="noreferrer">
					{t("documentation")}
				</a>
			}
		>
			{t("noUsageText")}
		</Empty>
	);
	return (
		<>
			<div className="page-head">
				<PageTitle>{t("title")}</PageTitle>
				<Field label={t("month")} hidesLabel>
					<Select
						value={month}
						onChange={({ target }) => setParams({ month: target.value }, { replace: true })}
						options={months.map((value) => ({ value, label: namesOfMonths(value) }))}
					/>
				</Field>
			</div>
			<Block
				asked={asked}
				lines={10}
				isEmpty={({ totals }) => totals.requests === 0}
				empty={<section className="card">{empty}</section>}
			>
				{(usage) => <Content usage={usage} />}
			</Block>
		</>
	);
}

/** The Dominican Republic's days are four hours behind UTC all year. */
const today = () => new Date(Date.now() - 4 * 3_600_000).toISOString().slice(0, 10);

/** This month and those before, newest first: `2026-11`. */
function readMonths(): string[] {
	const [year = 0, month = 0] = today().split("-").map(Number);
	return Array.from({ length: MONTHS }, (_, at) => new Date(Date.UTC(year, month - 1 - at)).toISOString().slice(0, 7));
}

function useMonthNames() {
	const names = new Intl.DateTimeFormat(useLanguage(), { month: "long", year: "numeric", timeZone: "UTC" });
	return (month: string) => names.format(new Date(`${month}-01T00:00:00Z`));
}

/** All pages of a month. Throws a CallError. */
async function collectUsage(month: string, signal: AbortSignal): Promise<Usage> {
	const [year = 0, number = 0] = month.split("-").map(Number);
	const end = new Date(Date.UTC(year, number, 0)).toISOString().slice(0, 10);
	const [to = end] = [end, today()].sort();
	const period = { from: `${month}-01`, to };
	const items: Item[] = [];
	let after: string | undefined;
	for (;;) {
		const query = { ...period, limit: PAGE, ...(after === undefined ? {} : { after }) };
		const page = await call("getUsage", { query }, { signal });
		items.push(...page.items);
		after = page.next ?? undefined;
		if (after === undefined || items.length >= ITEMS_MAX) {
			return { ...period, totals: page.totals, items, isCut: after !== undefined };
		}
	}
}

function Content({ usage }: { readonly usage: Usage }) {
	const t = useWords(words);
	const { count } = useFormat();
	const { may, company: here } = useHere();
	const company = useCall("getCompany", { path: { id: here.tenantId } }, { enabled: may("company:read") });
	const { totals, isCut } = usage;
	const limited = totals.answers["429"];
	const { number, name, row } = totals.billableUnits;
	const looked = { numbers: count(number), names: count(name), rows: count(row) };
	const cards = [
		{ title: t("requests"), value: count(totals.requests), further: t("billed", { count: count(totals.billed) }) },
		{ title: t("units"), value: count(totals.billableUnits.request), further: t("otherUnits", looked) },
		{ title: t("limited"), value: count(limited), further: t("notBilled") },
		{ title: t("failed"), value: count(totals.answers["5xx"]), further: t("notBilled") },
	];
	const frame = useWords(frameWords);
	const plan = company.data && frame(`plan_${company.data.plan as "free"}`);
	return (
		<>
			{plan === undefined ? null : (
				<Callout tone={limited > 0 ? "warn" : "plain"}>
					{limited > 0 ? t("planLimited", { plan, count: count(limited) }) : t("plan", { plan })}
				</Callout>
			)}
			{isCut ? <Callout tone="warn">{t("cut")}</Callout> : null}
			<Figures figures={cards} />
			<Days usage={usage} />
			<ByOperation usage={usage} />
		</>
	);
}

/** The sums of items by what `keyOf` gives. */
function sumBy(items: readonly Item[], keyOf: (item: Item) => string): Map<string, Sum> {
	const sums = new Map<string, Sum>();
	for (const item of items) {
		const { requests, billed, answers } = item;
		const before = sums.get(keyOf(item)) ?? NOTHING;
		sums.set(keyOf(item), {
			requests: before.requests + requests,
			billed: before.billed + billed,
			limited: before.limited + answers["429"],
			failed: before.failed + answers["5xx"],
		});
	}
	return sums;
}

const NOTHING: Sum = { requests: 0, billed: 0, limited: 0, failed: 0 };

function useSumColumns<Row extends Sum>() {
	const t = useWords(words);
	const { count } = useFormat();
	return (["requests", "billed", "limited", "failed"] as const).map((id) => ({
		...{ id, title: t(id === "billed" ? "billedTitle" : id), align: "end" as const },
		cell: (row: Row) => count(row[id]),
	}));
}

function Days({ usage: { from, to, items } }: { readonly usage: Usage }) {
	const t = useWords(words);
	const { day: dayText, count } = useFormat();
	const sums = sumBy(items, ({ date }) => date);
	const length = (Date.parse(to) - Date.parse(from)) / DAY_MS + 1;
	const days = Array.from({ length }, (_, at) => {
		const day = new Date(Date.parse(from) + at * DAY_MS).toISOString().slice(0, 10);
		return { day, label: dayText(day), ...(sums.get(day) ?? NOTHING) };
	});
	const byLabel = new Map(days.map((one) => [one.label, one]));
	const columns = [
		{ id: "day", title: t("day"), cell: ({ day }: (typeof days)[number]) => dayText(day) },
		...useSumColumns<(typeof days)[number]>(),
	];
	const textOf = ({ label }: { readonly label: string }) => {
		const { billed, limited, failed } = byLabel.get(label) ?? NOTHING;
		return t("barText", { day: label, billed: count(billed), limited: count(limited), failed: count(failed) });
	};
	return (
		<section className="card" aria-labelledby="usage-days">
			<div className="card-head">
				<h2 id="usage-days">{t("perDay")}</h2>
			</div>
			<div className="card-body">
				<Bars
					label={t("perDayLabel", { from: dayText(from), to: dayText(to) })}
					bars={days.map(({ label, billed, limited, failed }) => ({
						label,
						parts: [
							{ value: billed, tone: "accent" },
							{ value: limited, tone: "warn" },
							{ value: failed, tone: "bad" },
						],
					}))}
					textOf={textOf}
					format={count}
					table={<Table caption={t("perDay")} rows={days.toReversed()} rowId={({ day }) => day} columns={columns} />}
					tableTitle={t("asTable")}
				/>
			</div>
		</section>
	);
}

function ByOperation({ usage: { items } }: { readonly usage: Usage }) {
	const t = useWords(words);
	const rows = [...sumBy(items, ({ operation }) => operation)]
		.map(([operation, sum]) => ({ operation, ...sum }))
		.toSorted((a, b) => b.requests - a.requests);
	const columns = [
		{
			...{ id: "operation", title: t("operation") },
			cell: ({ operation }: (typeof rows)[number]) => <code>{operation}</code>,
		},
		...useSumColumns<(typeof rows)[number]>(),
	];
	return (
		<section className="card" aria-labelledby="usage-operations">
			<div className="card-head">
				<h2 id="usage-operations">{t("perOperation")}</h2>
			</div>
			<Table caption={t("perOperation")} rows={rows} rowId={({ operation }) => operation} columns={columns} />
		</section>
	);
}
