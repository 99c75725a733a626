/** The registry of taxpayers: searched by number or name, and a list compared with it. */
import { BookUser, SearchX } from "lucide-react";
import { Link, useSearchParams } from "wouter";
import type { Input } from "../../api/call";
import type { RegistrySearchResult } from "../../api/generated";
import { useCall } from "../../api/use-call";
import { useFormat } from "../../app/format";
import { useWords } from "../../app/language";
import { Button } from "../../kit/button";
import { PageTitle } from "../../kit/page-title";
import { SearchField } from "../../kit/search-field";
import { Block, Empty } from "../../kit/states";
import { TaxpayerStatusMark } from "../../kit/status";
import { type Column, Table, useSetParam } from "../../kit/table";
import { ListCheck } from "./list-check";
import { words } from "./words";

type Found = RegistrySearchResult["items"][number];

const SHOWN_MAX = 25;
const NUMBER = /^[\d\s-]+$/;

export default function RegistryPage() {
	const t = useWords(words);
	const [params] = useSearchParams();
	const q = params.get("q") ?? "";
	const set = useSetParam();
	const search = (text: string) => set("q", text);
	return (
		<>
			<div className="page-head">
				<PageTitle>{t("title")}</PageTitle>
			</div>
			<div className="registry">
				<div className="stack registry-search">
					<search>
						<SearchField label={t("search")} placeholder={t("searchHint")} value={q} onChange={search} />
					</search>
					{q === "" ? <Start /> : <Results q={q} onSearch={search} />}
					<Freshness />
				</div>
				<ListCheck />
			</div>
		</>
	);
}

function Start() {
	const t = useWords(words);
	return (
		<section className="card" aria-label={t("results")}>
			<Empty title={t("startTitle")} icon={BookUser}>
				{t("startText")}
			</Empty>
		</section>
	);
}

function Results({ q, onSearch }: { readonly q: string; readonly onSearch: (q: string) => void }) {
	const t = useWords(words);
	const { count } = useFormat();
	const query: Input<"searchDocuments">["query"] = NUMBER.test(q)
		? { q: q.replace(/\D/g, ""), field: "document", limit: SHOWN_MAX }
		: { q, field: "any", mode: "smart", limit: SHOWN_MAX };
	const asked = useCall("searchDocuments", { query }, { keepsFormer: true });
	const meant = asked.data?.didYouMean;
	const empty = (
		<Empty
			title={t("noneTitle")}
			icon={SearchX}
			actions={meant ? <Button onClick={() => onSearch(meant)}>{t("meant", { q: meant })}</Button> : null}
		>
			{t("noneText")}
		</Empty>
	);
	return (
		<section className={`card${asked.isPlaceholderData ? " invoices-former" : ""}`} aria-label={t("results")}>
			<Block asked={asked} lines={8} isEmpty={({ items }) => items.length === 0} empty={empty}>
				{({ items, partial }) => (
					<>
						<FoundTable items={items} />
						{partial ? <p className="soft registry-note">{t("more", { count: count(items.length) })}</p> : null}
					</>
				)}
			</Block>
		</section>
	);
}

function FoundTable({ items }: { readonly items: readonly Found[] }) {
	const t = useWords(words);
	const columns: readonly Column<Found>[] = [
		{
			...{ id: "name", title: t("name") },
			cell: ({ rnc, name, trade_name }) => (
				<>
					<Link href={`/registry/${rnc}`}>{name}</Link>
					<span className="invoices-under number">
						{[rnc, trade_name === name ? "" : trade_name].filter(Boolean).join(" · ")}
					</span>
				</>
			),
		},
		{
			...{ id: "status", title: t("status"), isNarrow: true, onPhone: "beside" },
			cell: ({ status }) => <TaxpayerStatusMark status={status} />,
		},
	];
	return <Table caption={t("results")} columns={columns} rows={items} rowId={({ rnc }) => rnc} />;
}

/** How old our copy is; a line of it is as good as its age. */
function Freshness() {
	const t = useWords(words);
	const { count, moment } = useFormat();
	const { data } = useCall("getRegistryStatus", {});
	if (!data?.last_ingest) return null;
	const values = { count: count(data.record_count), time: moment(data.last_ingest) };
	return <p className="soft">{t(data.stale ? "stale" : "fresh", values)}</p>;
}
