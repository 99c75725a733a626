/** The company's invoices: searched, filtered, chosen; new ones come by themselves. */
import { useQueryClient } from "@tanstack/react-query";
import { ArrowUp, Download, FilePlus2, ReceiptText, SearchX } from "lucide-react";
import { useEffect, useRef, useState } from "react";
import { Link, useLocation } from "wouter";
import { type CallError, isPortal } from "../../api/call";
import type { InvoiceListItem, ListInvoicesAnswer } from "../../api/generated";
import { type LiveEvent, useLive } from "../../api/live";
import { callKey, useCall } from "../../api/use-call";
import { useFormat } from "../../app/format";
import { useWords } from "../../app/language";
import { useHere } from "../../app/session";
import { Button, LinkButton } from "../../kit/button";
import { Block, Empty } from "../../kit/states";
import { type InvoiceStatus, InvoiceStatusMark } from "../../kit/status";
import { type Column, Pages, Table } from "../../kit/table";
import { notify } from "../../kit/toast";
import { collectInvoices, saveCsv } from "./export-csv";
import { type Filter, FilterBar, FilterChips, type TYPES, toQuery, useFilter } from "./filter";
import { SelectionBar } from "./selection";
import { Views } from "./views";
import { words } from "./words";

const NONE: ReadonlySet<string> = new Set();
const PAGE = 50;
/** Events often come in bursts; one renewal is enough for each. */
const GATHER_MS = 300;
/** Who has scrolled further reads rows that must not move. */
const TOP_PX = 120;

export default function InvoicesPage() {
	const t = useWords(words);
	const { filter, after, isFiltered, change, clear } = useFilter();
	const input = { query: { ...toQuery(filter), limit: PAGE, ...(after === undefined ? {} : { after }) } };
	const asked = useCall("listInvoices", input, { keepsFormer: true });
	const { may } = useHere();
	const [chosen, setChosen] = useState(NONE);
	const pageKey = JSON.stringify(input);
	// What is no longer shown must not be acted upon.
	// biome-ignore lint/correctness/useExhaustiveDependencies: the page is what changes
	useEffect(() => setChosen(NONE), [pageKey]);
	const items = asked.data?.items ?? [];
	const news = useNews(input, new Set(items.map(({ docId }) => docId)), () => {
		return after === undefined && chosen.size === 0 && scrollY < TOP_PX;
	});
	const issueLink = may("invoices:write") ? (
		<LinkButton kind="primary" href="/issue" icon={<FilePlus2 aria-hidden />}>
			{t("issue")}
		</LinkButton>
	) : null;
	const empty = isFiltered ? (
		<Empty title={t("noneTitle")} icon={SearchX} actions={<Button onClick={clear}>{t("clearFilters")}</Button>}>
			{t("noneText")}
		</Empty>
	) : (
		<Empty title={t("emptyTitle")} icon={ReceiptText} actions={issueLink}>
			{t("emptyText")}
		</Empty>
	);
	return (
		<>
			<div className="page-head">
				<h1>{t("title")}</h1>
				<div className="toolbar">
					{isPortal() ? null : <Views isFiltered={isFiltered} />}
					<CsvButton filter={filter} isDisabled={items.length === 0} />
					{asked.data && (isFiltered || items.length > 0) ? issueLink : null}
				</div>
			</div>
			<FilterBar filter={filter} onChange={change} />
			<FilterChips filter={filter} onChange={change} />
			<div role="status" className={news.count === 0 ? "visually-hidden" : "invoices-news"}>
				{news.count === 0 ? null : (
					<Button kind="primary" icon={<ArrowUp aria-hidden />} onClick={news.show}>
						{t("news", { count: news.count })}
					</Button>
				)}
			</div>
			<section className={`card invoices${asked.isPlaceholderData ? " invoices-former" : ""}`} aria-label={t("title")}>
				<Block asked={asked} lines={12} isEmpty={({ items }) => items.length === 0} empty={empty}>
					{(answer) => (
						<>
							<InvoiceTable items={answer.items} chosen={chosen} onChoose={setChosen} />
							<Pages next={answer.next} />
						</>
					)}
				</Block>
			</section>
			{chosen.size > 0 ? (
				<SelectionBar
					items={items.filter(({ docId }) => chosen.has(docId))}
					isOffline={asked.error?.slug === "offline"}
					onDone={() => setChosen(NONE)}
				/>
			) : null}
		</>
	);
}

/** Names of types and buyers are the reader's; the rest is the document's own. */
export function useInvoiceColumns(): readonly Column<InvoiceListItem>[] {
	const t = useWords(words);
	const { amount, day } = useFormat();
	return [
		{
			...{ id: "number", title: t("number") },
			cell: ({ docId, encf, type }) => (
				<>
					<Link href={`/invoices/${docId}`} className="number">
						{encf}
					</Link>
					<span className="invoices-under">{t(`type${type as (typeof TYPES)[number]}`)}</span>
				</>
			),
		},
		{
			...{ id: "buyer", title: t("buyer") },
			cell: ({ customer }) => (
				<>
					<span className="invoices-name">{customer?.name ?? t("noBuyer")}</span>
					<span className="invoices-under number">{customer?.rnc}</span>
				</>
			),
		},
		{ id: "issueDate", title: t("issueDate"), isNarrow: true, cell: ({ issueDate }) => day(issueDate) },
		{
			...{ id: "total", title: t("total"), align: "end" },
			cell: ({ totals, currency }) => amount(totals.grand_total, currency),
		},
		{
			...{ id: "status", title: t("status"), isNarrow: true },
			cell: ({ status, code }) => (
				<span className="invoices-status">
					<InvoiceStatusMark status={status as InvoiceStatus} />
					{status === "rejected" && code !== null ? <span className="soft number">{code}</span> : null}
				</span>
			),
		},
	];
}

type InvoiceTableProps = {
	readonly items: readonly InvoiceListItem[];
	readonly chosen: ReadonlySet<string>;
	readonly onChoose: (chosen: ReadonlySet<string>) => void;
};

function InvoiceTable({ items, chosen, onChoose }: InvoiceTableProps) {
	const t = useWords(words);
	const byId = new Map(items.map((one) => [one.docId, one]));
	const nameOfRow = (id: string) => byId.get(id)?.encf ?? id;
	return (
		<Table
			caption={t("title")}
			columns={useInvoiceColumns()}
			rows={items}
			rowId={({ docId }) => docId}
			{...(isPortal() ? {} : { selection: { chosen, onChange: onChoose, nameOf: nameOfRow } })}
		/>
	);
}

function CsvButton({ filter, isDisabled }: { readonly filter: Filter; readonly isDisabled: boolean }) {
	const t = useWords(words);
	const { count } = useFormat();
	const [isBusy, setBusy] = useState(false);
	const download = async () => {
		setBusy(true);
		try {
			const { items, isCut } = await collectInvoices(filter);
			saveCsv(items, t);
			notify(t("csvDone", { count: count(items.length) }), {
				description: isCut ? t("csvCut", { count: count(items.length) }) : "",
			});
		} catch (error) {
			notify(t("csvFailed"), { type: "bad", description: (error as CallError).problem?.title ?? "" });
		}
		setBusy(false);
	};
	return (
		<Button icon={<Download aria-hidden />} isBusy={isBusy} disabled={isDisabled} onClick={() => void download()}>
			{t("csv")}
		</Button>
	);
}

const STATUS_OF_EVENT: Readonly<Record<string, InvoiceStatus>> = {
	"invoice.accepted": "accepted",
	"invoice.rejected": "rejected",
	"invoice.failed": "failed",
};

/**
 * What happens meanwhile. Rows that are shown change in place. New documents appear by themselves while the reader looks at the newest ones, else they are
 * counted until the reader asks for them.
 */
function useNews(
	input: { readonly query: object },
	shown: ReadonlySet<string>,
	isCalm: () => boolean,
): { readonly count: number; readonly show: () => void } {
	const client = useQueryClient();
	const [, navigate] = useLocation();
	const [unseen, setUnseen] = useState(NONE);
	const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
	useEffect(() => () => clearTimeout(timer.current), []);
	const renew = () => void client.invalidateQueries({ queryKey: callKey("listInvoices") });
	useLive((event) => {
		const status = STATUS_OF_EVENT[event.event];
		if (status === undefined) return;
		if (shown.has(event.docId)) {
			client.setQueriesData<ListInvoicesAnswer>(
				{ queryKey: callKey("listInvoices", input as never) },
				(answer) => answer && { ...answer, items: answer.items.map((one) => withStatus(one, event, status)) },
			);
		} else if (isCalm()) {
			clearTimeout(timer.current);
			timer.current = setTimeout(renew, GATHER_MS);
		} else setUnseen((former) => new Set([...former, event.docId]));
	});
	const show = () => {
		setUnseen(NONE);
		const query = new URLSearchParams(location.search);
		query.delete("after");
		navigate(`/invoices?${query}`);
		scrollTo({ top: 0 });
		renew();
	};
	return { count: [...unseen].filter((docId) => !shown.has(docId)).length, show };
}

function withStatus(one: InvoiceListItem, event: LiveEvent, status: InvoiceStatus): InvoiceListItem {
	if (one.docId !== event.docId) return one;
	const { authority } = event as LiveEvent & { readonly authority?: { readonly code?: string } };
	return { ...one, status, code: authority?.code ?? one.code };
}
