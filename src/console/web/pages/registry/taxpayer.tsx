/** One taxpayer: what the registry says now, and what our copy of it said before. */
import { ArrowLeft, Eye, ReceiptText } from "lucide-react";
import { useParams } from "wouter";
import type { DocumentEntry, DocumentHistory } from "../../api/generated";
import { useCall, useSend } from "../../api/use-call";
import { useFormat } from "../../app/format";
import { useWords } from "../../app/language";
import { useHere } from "../../app/session";
import { Button, LinkButton } from "../../kit/button";
import { Menu } from "../../kit/menu";
import { PageTitle } from "../../kit/page-title";
import { Block } from "../../kit/states";
import { TaxpayerStatusMark } from "../../kit/status";
import { notify } from "../../kit/toast";
import { words } from "./words";

type Period = DocumentHistory["periods"][number];

const MEMBERS = ["name", "trade_name", "economic_activity", "status", "payment_regime"] as const;

export default function TaxpayerPage() {
	const t = useWords(words);
	const { document = "" } = useParams<{ document: string }>();
	const { may } = useHere();
	const asked = useCall("getDocument", { path: { document }, query: { expand: "started_on" } });
	const changes = useCall("getDocumentHistory", { path: { document } }, { enabled: asked.data !== undefined });
	return (
		<>
			<div className="page-head">
				<PageTitle>{asked.data?.name ?? document}</PageTitle>
				<div className="toolbar">
					<LinkButton href="/registry" icon={<ArrowLeft aria-hidden />}>
						{t("back")}
					</LinkButton>
					{asked.data && may("invoices:read") ? (
						<LinkButton href={`/invoices?customer_rnc=${asked.data.rnc}`} icon={<ReceiptText aria-hidden />}>
							{t("invoices")}
						</LinkButton>
					) : null}
					{asked.data && may("watchlists:write") ? <WatchMenu document={asked.data.rnc} /> : null}
				</div>
			</div>
			<section className="card card-body" aria-label={t("now")}>
				<Block asked={asked} lines={6}>
					{(entry) => <Entry entry={entry} />}
				</Block>
			</section>
			{asked.data ? (
				<section className="card" aria-labelledby="changes">
					<div className="card-head">
						<h2 id="changes">{t("changes")}</h2>
					</div>
					<Block asked={changes}>{(history) => <Changes history={history} />}</Block>
				</section>
			) : null}
		</>
	);
}

/** Puts the taxpayer on a list that is kept by hand. */
function WatchMenu({ document }: { readonly document: string }) {
	const t = useWords(words);
	const { data } = useCall("listWatchlists", { query: { limit: 100 } });
	const add = useSend("addWatchlistDocuments", [
		...(["getWatchlist", "listWatchlists", "listWatchlistDocuments", "listWatchlistChanges"] as const),
	]);
	const lists = (data?.items ?? []).filter(({ source }) => source === null);
	const items = lists.map(({ id, name }) => ({
		label: name,
		onSelect: () =>
			add.mutate(
				{ path: { id }, body: { documents: [{ document }] } },
				{
					onSuccess: () => notify(t("watched", { name })),
					onError: ({ problem }) => notify(t("notWatched"), { type: "bad", description: problem?.detail ?? "" }),
				},
			),
	}));
	const trigger = (
		<Button icon={<Eye aria-hidden />} isBusy={add.isPending}>
			{t("watch")}
		</Button>
	);
	const more = { items: [{ label: t("watchlists"), href: "/watchlists" }] };
	return <Menu trigger={trigger} groups={items.length > 0 ? [{ items }, more] : [more]} align="end" />;
}

function Entry({ entry }: { readonly entry: DocumentEntry }) {
	const t = useWords(words);
	const { day } = useFormat();
	return (
		<dl className="pairs">
			<dt>{t("rnc")}</dt>
			<dd className="number">{entry.rnc}</dd>
			{MEMBERS.map((member) => [
				<dt key={`${member}-title`}>{t(member)}</dt>,
				<dd key={member}>
					{member === "status" ? <TaxpayerStatusMark status={entry.status} /> : entry[member] || t("none")}
				</dd>,
			])}
			<dt>{t("started_on")}</dt>
			<dd>{entry.started_on ? day(entry.started_on) : t("none")}</dd>
		</dl>
	);
}

/** Each period beside what differed in the one before it. */
function Changes({ history: { periods, history_begins, partial } }: { readonly history: DocumentHistory }) {
	const t = useWords(words);
	const { day } = useFormat();
	return (
		<>
			<ol className="registry-changes">
				{periods.map((period, at) => (
					<li key={period.from}>
						<strong className="number">
							{period.to === null
								? t("since", { from: day(period.from) })
								: t("between", { from: day(period.from), to: day(period.to) })}
						</strong>
						<Change period={period} before={periods[at + 1]} />
					</li>
				))}
			</ol>
			<p className="soft registry-note">{t(partial ? "historyCut" : "historyBegins", { day: day(history_begins) })}</p>
		</>
	);
}

function Change({ period, before }: { readonly period: Period; readonly before: Period | undefined }) {
	const t = useWords(words);
	if (period.changed.length === 0 || before === undefined) return <p className="soft">{t("unchanged")}</p>;
	return (
		<dl className="pairs">
			{period.changed.map((member) => [
				<dt key={`${member}-title`}>{t(member)}</dt>,
				<dd key={member}>
					<del className="soft">{before[member] || t("none")}</del> → {period[member] || t("none")}
				</dd>,
			])}
		</dl>
	);
}
