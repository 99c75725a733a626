/** How the company's invoicing stands, and what needs a person; renewed by the company's events. */
import { FilePlus2 } from "lucide-react";
import { useSearchParams } from "wouter";
import type { Overview } from "../../api/generated";
import { useLiveRenewal } from "../../api/live";
import { useCall } from "../../api/use-call";
import { useFormat } from "../../app/format";
import { useWords } from "../../app/language";
import { useHere } from "../../app/session";
import { LinkButton } from "../../kit/button";
import { Bars, Figures } from "../../kit/charts";
import { Field, Select } from "../../kit/field";
import { PageTitle } from "../../kit/page-title";
import { Block } from "../../kit/states";
import { Table } from "../../kit/table";
import { FirstSteps } from "./first-steps";
import { AuthorityStrip, SequenceForecasts, WebhookHealth } from "./health";
import { Tasks } from "./tasks";
import { words } from "./words";

const PERIODS = ["7", "30", "90"];
const DAY_MS = 86_400_000;
/** Events often come in bursts; one renewal is enough for each. */
const GATHER_MS = 500;

export default function OverviewPage() {
	const t = useWords(words);
	const { clock } = useFormat();
	const { may } = useHere();
	const [params, setParams] = useSearchParams();
	const days = PERIODS.find((one) => one === params.get("days")) ?? "30";
	const from = new Date(Date.now() - (Number(days) - 1) * DAY_MS - 4 * 3_600_000).toISOString().slice(0, 10);
	const asked = useCall("getOverview", { query: { from } }, { keepsFormer: true });
	useLiveRenewal(["getOverview"], GATHER_MS);
	return (
		<>
			<div className="page-head">
				<PageTitle>{t("title")}</PageTitle>
				<div className="toolbar">
					{asked.data ? <span className="soft number">{t("asOf", { time: clock(asked.data.asOf) })}</span> : null}
					<Field label={t("period")} hidesLabel>
						<Select
							value={days}
							onChange={({ target }) => setParams(target.value === "30" ? {} : { days: target.value })}
							options={PERIODS.map((value) => ({ value, label: t("days", { days: value }) }))}
						/>
					</Field>
					{may("invoices:write") ? (
						<LinkButton kind="primary" href="/issue" icon={<FilePlus2 aria-hidden />}>
							{t("issue")}
						</LinkButton>
					) : null}
				</div>
			</div>
			<Block asked={asked} lines={8}>
				{(overview) => <Content overview={overview} />}
			</Block>
		</>
	);
}

function Content({ overview }: { readonly overview: Overview }) {
	const { may } = useHere();
	const { days, cards, tasks } = overview;
	const count = days.reduce((sum, { accepted, rejected, failed }) => sum + accepted + rejected + failed, 0);
	const isEmpty =
		count +
			cards.issuedToday +
			cards.pending.count +
			tasks.rejected.count +
			tasks.failed.count +
			tasks.prepared.count ===
		0;
	if (isEmpty && may("invoices:write")) return <FirstSteps />;
	return (
		<>
			<Tasks overview={overview} />
			<Cards overview={overview} />
			<div className="overview-columns">
				<Days overview={overview} />
				<div className="overview-side">
					<AuthorityStrip overview={overview} />
					<WebhookHealth overview={overview} />
				</div>
			</div>
			<SequenceForecasts overview={overview} />
		</>
	);
}

function Cards({ overview }: { readonly overview: Overview }) {
	const t = useWords(words);
	const { amount, count, share, ago } = useFormat();
	const { issuedToday, acceptanceRate, sales, purchases, pending } = overview.cards;
	const oldest = new Date(Date.parse(overview.asOf) - pending.oldestSeconds * 1_000).toISOString();
	const cards = [
		{ title: t("issuedToday"), value: count(issuedToday), further: t("today") },
		{
			title: t("acceptanceRate"),
			value: acceptanceRate === null ? t("none") : share(acceptanceRate),
			further: t("inPeriod"),
		},
		{
			title: t("accepted"),
			value: amount(sales.grand_total),
			further: [
				t("acceptedTax", { tax: amount(sales.tax) }),
				...(purchases.count > 0 ? [t("purchases", { total: amount(purchases.grand_total) })] : []),
			].join(" · "),
		},
		{
			title: t("pending"),
			value: count(pending.count),
			further: pending.count === 0 ? t("pendingNone") : t("pendingOldest", { ago: ago(oldest) }),
		},
	];
	return <Figures figures={cards} />;
}

function Days({ overview: { days, from, to } }: { readonly overview: Overview }) {
	const t = useWords(words);
	const format = useFormat();
	const sum = (member: "accepted" | "rejected" | "failed") => days.reduce((total, day) => total + day[member], 0);
	const label = t("perDayLabel", {
		...{ from: format.day(from), to: format.day(to) },
		...{ accepted: sum("accepted"), rejected: sum("rejected"), failed: sum("failed") },
	});
	const byLabel = new Map(days.map((day) => [format.day(day.day), day]));
	const table = (
		<Table
			caption={t("perDay")}
			rows={days.toReversed()}
			rowId={({ day }) => day}
			columns={[
				{ id: "day", title: t("day"), cell: ({ day }) => format.day(day) },
				{ id: "accepted", title: t("acceptedCount"), align: "end", cell: ({ accepted }) => format.count(accepted) },
				{ id: "rejected", title: t("rejectedCount"), align: "end", cell: ({ rejected }) => format.count(rejected) },
				{ id: "failed", title: t("failedCount"), align: "end", cell: ({ failed }) => format.count(failed) },
				{ id: "sales", title: t("sales"), align: "end", cell: ({ sales }) => format.amount(sales) },
			]}
		/>
	);
	return (
		<section className="card" aria-labelledby="overview-days">
			<div className="card-head">
				<h2 id="overview-days">{t("perDay")}</h2>
			</div>
			<div className="card-body">
				<Bars
					label={label}
					bars={days.map(({ day, accepted, rejected, failed }) => ({
						label: format.day(day),
						parts: [
							{ value: accepted, tone: "accent" },
							{ value: rejected, tone: "bad" },
							{ value: failed, tone: "warn" },
						],
					}))}
					legend={[
						{ tone: "accent", text: t("acceptedCount") },
						{ tone: "bad", text: t("rejectedCount") },
						{ tone: "warn", text: t("failedCount") },
					]}
					textOf={(bar) => t("barText", { day: bar.label, ...toCounts(byLabel.get(bar.label)) })}
					format={format.count}
					table={table}
					tableTitle={t("asTable")}
				/>
			</div>
		</section>
	);
}

function toCounts(day: Overview["days"][number] | undefined) {
	return { accepted: day?.accepted ?? 0, rejected: day?.rejected ?? 0, failed: day?.failed ?? 0 };
}
