/** A month in sums: by type, day, buyer or branch, with the digest to compare books, and its files. */
import { ChartColumn, Copy, Download } from "lucide-react";
import { useState } from "react";
import { Link, useSearchParams } from "wouter";
import { type CallError, call, type Input, send } from "../../api/call";
import type { ReportTotals } from "../../api/generated";
import { useCall } from "../../api/use-call";
import { useFormat } from "../../app/format";
import { useWords } from "../../app/language";
import { useHere } from "../../app/session";
import { Button } from "../../kit/button";
import { Figures } from "../../kit/charts";
import { Field, Select } from "../../kit/field";
import { PageTitle } from "../../kit/page-title";
import { Block, Empty } from "../../kit/states";
import { type Column, Table, useSetParam } from "../../kit/table";
import { notify } from "../../kit/toast";
import { saveFile } from "../invoices/export";
import type { TYPES } from "../invoices/filter";
import { words as invoiceWords } from "../invoices/words";
import { Exports } from "./exports";
import { words } from "./words";

type Group = ReportTotals["groups"][number];
export type Period = { readonly from: string; readonly to: string };

const DIMENSIONS = ["type", "day", "customer_rnc", "branch"] as const;
type Dimension = (typeof DIMENSIONS)[number];

const MONTHS_SHOWN = 24;
/** The table has all groups; the page those that a person can read. */
const GROUPS_MAX = 100;

export default function ReportsPage() {
	const t = useWords(words);
	const format = useFormat();
	const { may } = useHere();
	const [params] = useSearchParams();
	const months = lastMonths();
	const month = months.find((one) => one === params.get("month")) ?? months[0] ?? "";
	const by = DIMENSIONS.find((one) => one === params.get("by")) ?? "type";
	const period = periodOf(month);
	const asked = useCall(
		"getReportTotals",
		{ query: { ...period, group_by: by, limit: GROUPS_MAX } },
		{ keepsFormer: true },
	);
	const change = useSetParam();
	return (
		<>
			<div className="page-head">
				<PageTitle>{t("title")}</PageTitle>
				<div className="toolbar">
					<Field label={t("month")} hidesLabel>
						<Select
							value={month}
							onChange={({ target }) => change("month", target.value)}
							options={months.map((value) => ({ value, label: format.month(value) }))}
						/>
					</Field>
					<Downloads period={period} by={by} />
				</div>
			</div>
			<Block asked={asked} lines={8}>
				{(report) => (
					<div className={`stack reports${asked.isPlaceholderData ? " invoices-former" : ""}`}>
						<Sums report={report} />
						<section className="card" aria-label={t("groups")}>
							<div className="card-head">
								<h2>{t("groups")}</h2>
								<Field label={t("by")} hidesLabel>
									<Select
										value={by}
										onChange={({ target }) => change("by", target.value)}
										options={DIMENSIONS.map((value) => ({ value, label: t(`by_${value}`) }))}
									/>
								</Field>
							</div>
							{report.groups.length === 0 ? (
								<Empty title={t("emptyTitle")} icon={ChartColumn}>
									{t("emptyText")}
								</Empty>
							) : (
								// While another grouping is asked for, the former groups are shown.
								<Groups report={report} by={DIMENSIONS.find((one) => one in (report.groups[0] ?? {})) ?? by} />
							)}
							{report.partial ? <p className="soft registry-note">{t("more", { count: GROUPS_MAX })}</p> : null}
						</section>
						<Digest report={report} />
					</div>
				)}
			</Block>
			{may("archive:read") ? <Exports period={period} /> : null}
		</>
	);
}

/** This month and those before it, such as `2026-11`, in the Dominican Republic's time. */
function lastMonths(now = Date.now()): readonly string[] {
	const [year = 0, month = 0] = today(now).split("-").map(Number);
	return Array.from({ length: MONTHS_SHOWN }, (_, back) =>
		new Date(Date.UTC(year, month - 1 - back, 1)).toISOString().slice(0, 7),
	);
}

const today = (now = Date.now()) => new Date(now - 4 * 3_600_000).toISOString().slice(0, 10);

/** The days of a month; of this one, those until today. */
function periodOf(month: string): Period {
	const [year = 0, number = 0] = month.split("-").map(Number);
	const last = new Date(Date.UTC(year, number, 0)).toISOString().slice(0, 10);
	const now = today();
	const [to = now] = [last, now].toSorted();
	return { from: `${month}-01`, to };
}

function Downloads({ period, by }: { readonly period: Period; readonly by: Dimension }) {
	const t = useWords(words);
	const [busy, setBusy] = useState<"documents" | "totals">();
	const files = {
		documents: () => call("getReportDocuments", { query: period }),
		totals: async () => {
			const query: Input<"getReportTotals">["query"] = { ...period, group_by: by, format: "csv" };
			return (await send("getReportTotals", { query })).blob();
		},
	};
	const download = async (kind: keyof typeof files) => {
		setBusy(kind);
		try {
			saveFile(await files[kind](), `${t(`${kind}Name`)}-${period.from.slice(0, 7)}.csv`);
		} catch (error) {
			notify(t("downloadFailed"), { type: "bad", description: (error as CallError).problem?.title ?? "" });
		}
		setBusy(undefined);
	};
	return (
		<>
			<Button icon={<Download aria-hidden />} isBusy={busy === "totals"} onClick={() => void download("totals")}>
				{t("totalsCsv")}
			</Button>
			<Button
				kind="primary"
				icon={<Download aria-hidden />}
				isBusy={busy === "documents"}
				onClick={() => void download("documents")}
			>
				{t("documentsCsv")}
			</Button>
		</>
	);
}

function Sums({ report: { sales, purchases, net, excluded } }: { readonly report: ReportTotals }) {
	const t = useWords(words);
	const { amount, count } = useFormat();
	const cards = [
		{ title: t("sales"), value: amount(sales.grand_total), further: t("documents", { count: count(sales.count) }) },
		{ title: t("tax"), value: amount(sales.tax), further: t("ofSales") },
		{
			...{ title: t("purchases"), value: amount(purchases.grand_total) },
			further: t("documents", { count: count(purchases.count) }),
		},
		{
			...{ title: t("net"), value: amount(net.grand_total) },
			further: t("excluded", { rejected: count(excluded.rejected.count), failed: count(excluded.failed.count) }),
		},
	];
	return <Figures figures={cards} />;
}

function Groups({ report: { groups, from, to }, by }: { readonly report: ReportTotals; readonly by: Dimension }) {
	const t = useWords(words);
	const ofInvoices = useWords(invoiceWords);
	const { amount, count, day } = useFormat();
	const { may } = useHere();
	const nameOf = (group: Group) => {
		if (by === "type") return `${group.type} · ${ofInvoices(`type${group.type as (typeof TYPES)[number]}`)}`;
		if (by === "day") return day(group.day ?? "");
		return group.customer_name ?? group[by] ?? t(`no_${by}`);
	};
	/** The list of invoices has no filter for a branch. */
	const filterOf = (group: Group): Readonly<Record<string, string>> | undefined => {
		if (by === "day" && group.day) return { from: group.day, to: group.day };
		if (by === "type" && group.type) return { from, to, type: group.type };
		return by === "customer_rnc" && group.customer_rnc ? { from, to, customer_rnc: group.customer_rnc } : undefined;
	};
	const nameCell = (group: Group) => {
		const filter = may("invoices:read") ? filterOf(group) : undefined;
		const query = new URLSearchParams({ status: "accepted", date: "issued", ...filter });
		return (
			<>
				{filter === undefined ? nameOf(group) : <Link href={`/invoices?${query}`}>{nameOf(group)}</Link>}
				{group.customer_name ? <span className="invoices-under number">{group.customer_rnc}</span> : null}
			</>
		);
	};
	const columns: readonly Column<Group>[] = [
		{ id: "group", title: t(`by_${by}`), cell: nameCell },
		{ id: "count", title: t("count"), align: "end", cell: (group) => count(group.count) },
		...(["subtotal", "tax", "grand_total"] as const).map((sum) => ({
			...{ id: sum, title: t(sum), align: "end" as const },
			...(sum === "grand_total" ? { onPhone: "beside" as const } : {}),
			cell: (group: Group) => amount(group[sum]),
		})),
	];
	return <Table caption={t("groups")} columns={columns} rows={groups} rowId={(group) => group[by] ?? ""} />;
}

function Digest({ report: { digest, asOf } }: { readonly report: ReportTotals }) {
	const t = useWords(words);
	const { moment } = useFormat();
	const copy = () => void navigator.clipboard.writeText(digest).then(() => notify(t("copied")));
	return (
		<section className="card" aria-labelledby="digest">
			<div className="card-head">
				<h2 id="digest">{t("digest")}</h2>
				<Button icon={<Copy aria-hidden />} onClick={copy}>
					{t("copy")}
				</Button>
			</div>
			<div className="card-body stack">
				<code className="reports-digest">{digest}</code>
				<p className="soft">{t("digestText", { time: moment(asOf) })}</p>
			</div>
		</section>
	);
}
