/** The company's watchlists. */
import { Eye, Plus } from "lucide-react";
import { useState } from "react";
import { Link, useLocation, useSearchParams } from "wouter";
import type { Watchlist } from "../../api/generated";
import { useCall } from "../../api/use-call";
import { useFormat } from "../../app/format";
import { useWords } from "../../app/language";
import { useHere } from "../../app/session";
import { Button } from "../../kit/button";
import { PageTitle } from "../../kit/page-title";
import { Block, Empty } from "../../kit/states";
import { type Column, Pages, Table } from "../../kit/table";
import { ListDialog, nameOfField } from "./list-dialog";
import { words } from "./words";

const PAGE = 50;

export default function WatchlistsPage() {
	const t = useWords(words);
	const { may } = useHere();
	const [, go] = useLocation();
	const [params] = useSearchParams();
	const [isCreating, setCreating] = useState(false);
	const query = { after: params.get("after") ?? "", limit: PAGE };
	const asked = useCall("listWatchlists", { query }, { keepsFormer: true });
	const addButton = may("watchlists:write") ? (
		<Button kind="primary" icon={<Plus aria-hidden />} onClick={() => setCreating(true)}>
			{t("add")}
		</Button>
	) : null;
	const empty = (
		<Empty title={t("emptyTitle")} icon={Eye} actions={addButton}>
			{t("emptyText")}
		</Empty>
	);
	return (
		<>
			<div className="page-head">
				<PageTitle>{t("title")}</PageTitle>
				{asked.data?.items.length ? addButton : null}
			</div>
			<section className="card list" aria-label={t("title")}>
				<Block asked={asked} isEmpty={({ items }) => items.length === 0} empty={empty}>
					{({ items, next }) => (
						<>
							<Lists items={items} />
							<Pages next={next} />
						</>
					)}
				</Block>
			</section>
			{isCreating ? (
				<ListDialog onDone={({ id }) => go(`/watchlists/${id}`)} onClose={() => setCreating(false)} />
			) : null}
		</>
	);
}

function Lists({ items }: { readonly items: readonly Watchlist[] }) {
	const t = useWords(words);
	const { count } = useFormat();
	const columns: readonly Column<Watchlist>[] = [
		{
			...{ id: "name", title: t("name") },
			cell: ({ id, name, source }) => (
				<>
					<Link href={`/watchlists/${id}`}>{name}</Link>
					<span className="invoices-under">{t(`source_${source ?? "own"}`)}</span>
				</>
			),
		},
		{ ...{ id: "numbers", title: t("numbers"), align: "end", onPhone: "beside" }, cell: (one) => count(one.count) },
		{
			...{ id: "watches", title: t("watches") },
			cell: ({ fields }) => fields.map((field) => nameOfField(field, t)).join(", "),
		},
		{ id: "mail", title: t("mail"), isNarrow: true, cell: ({ digest }) => t(digest ?? "never") },
	];
	return <Table caption={t("title")} columns={columns} rows={items} rowId={({ id }) => id} />;
}
