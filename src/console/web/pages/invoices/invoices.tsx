/** The company's invoices: searched, filtered, chosen; new ones come by themselves. */
import { useQueryClient } from "@tanstack/react-query";
import { ArrowUp, FilePlus2, ReceiptText } from "lucide-react";
import { useEffect, useRef, useState } from "react";
import { useLocation } from "wouter";
import { isPortal } from "../../api/call";
import type { InvoiceListItem, ListInvoicesAnswer } from "../../api/generated";
import { type LiveEvent, useLive } from "../../api/live";
import { callKey, useCall } from "../../api/use-call";
import { useWords } from "../../app/language";
import { useHere } from "../../app/session";
import { Button, LinkButton } from "../../kit/button";
import { PageTitle } from "../../kit/page-title";
import { Block, Empty, NoneFound } from "../../kit/states";
import type { InvoiceStatus } from "../../kit/status";
import { Pages, Table } from "../../kit/table";
import { ColumnMenu, useColumnChoice, useInvoiceColumns } from "./columns";
import { ExportMenu } from "./export-menu";
import { FilterBar, FilterChips, toQuery, useFilter, useFilterTexts } from "./filter";
import { ChosenInvoices } from "./selection";
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
	const columns = useColumnChoice();
	const [chosen, setChosen] = useState(NONE);
	const pageKey = JSON.stringify(input);
	// What is no longer shown must not be acted upon.
	// biome-ignore lint/correctness/useExhaustiveDependencies: the page is what changes
	useEffect(() => setChosen(NONE), [pageKey]);
	const items = asked.data?.items ?? [];
	const isPart = after !== undefined || (asked.data?.next ?? null) !== null;
	const news = useNews(input, new Set(items.map(({ docId }) => docId)), () => {
		return after === undefined && chosen.size === 0 && scrollY < TOP_PX;
	});
	const issueLink = may("invoices:write") ? (
		<LinkButton kind="primary" href="/issue" icon={<FilePlus2 aria-hidden />}>
			{t("issue")}
		</LinkButton>
	) : null;
	const filters = useFilterTexts(filter).map(({ title, value }) => [title, value] as const);
	const empty = isFiltered ? (
		<NoneFound title={t("noneTitle")} filters={filters} onClear={clear} />
	) : (
		<Empty title={t("emptyTitle")} icon={ReceiptText} actions={issueLink}>
			{t("emptyText")}
		</Empty>
	);
	return (
		<>
			<div className="page-head">
				<PageTitle>{t("title")}</PageTitle>
				<div className="toolbar">
					{isPortal() ? null : <Views isFiltered={isFiltered} columns={columns.kept} />}
					<ColumnMenu {...columns} />
					{isPortal() ? null : <ExportMenu of={{ filter }} isDisabled={items.length === 0} />}
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
							<InvoiceTable items={answer.items} shown={columns.shown} chosen={chosen} onChoose={setChosen} />
							<Pages next={answer.next} />
						</>
					)}
				</Block>
			</section>
			{chosen.size > 0 ? (
				<ChosenInvoices
					items={items.filter(({ docId }) => chosen.has(docId))}
					{...(isPart && items.every(({ docId }) => chosen.has(docId)) ? { filter } : {})}
					onDone={(left = []) => setChosen(new Set(left))}
				/>
			) : null}
		</>
	);
}

type InvoiceTableProps = {
	readonly items: readonly InvoiceListItem[];
	readonly shown: Parameters<typeof useInvoiceColumns>[0];
	readonly chosen: ReadonlySet<string>;
	readonly onChoose: (chosen: ReadonlySet<string>) => void;
};

function InvoiceTable({ items, shown, chosen, onChoose }: InvoiceTableProps) {
	const t = useWords(words);
	const byId = new Map(items.map((one) => [one.docId, one]));
	const nameOfRow = (id: string) => byId.get(id)?.encf ?? id;
	return (
		<Table
			caption={t("title")}
			columns={useInvoiceColumns(shown)}
			rows={items}
			rowId={({ docId }) => docId}
			{...(isPortal() ? {} : { selection: { chosen, onChange: onChoose, nameOf: nameOfRow } })}
		/>
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
