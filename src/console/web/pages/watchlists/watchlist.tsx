/** One watchlist: what has changed in the registry, and who is on the list. */
import { useQuery } from "@tanstack/react-query";
import { ChevronLeft, Ellipsis, Pencil, Plus, Trash2 } from "lucide-react";
import { useState } from "react";
import { Link, useLocation, useParams, useSearchParams } from "wouter";
import { type CallError, call } from "../../api/call";
import type { Watchlist } from "../../api/generated";
import { callKey, useSend } from "../../api/use-call";
import { useFormat } from "../../app/format";
import { useWords } from "../../app/language";
import { useHere } from "../../app/session";
import { Button } from "../../kit/button";
import { SureDialog } from "../../kit/dialog";
import { Menu } from "../../kit/menu";
import { PageTitle } from "../../kit/page-title";
import { Block, Callout, Missing, Refusal } from "../../kit/states";
import { Tabs } from "../../kit/tabs";
import { notify } from "../../kit/toast";
import { Changes } from "./changes";
import { ListDialog, nameOfField } from "./list-dialog";
import { AddDialog, Numbers } from "./numbers";
import { words } from "./words";

const POLL_MS = 1_000;

const isFilling = ({ source, source_filled_at }: Watchlist) => source !== null && source_filled_at === null;

export default function WatchlistPage() {
	const t = useWords(words);
	const { id = "" } = useParams<{ id: string }>();
	const input = { path: { id } };
	const asked = useQuery<Watchlist, CallError>({
		queryKey: callKey("getWatchlist", input),
		queryFn: ({ signal }) => call("getWatchlist", input, { signal }),
		refetchInterval: ({ state }) => (state.data && isFilling(state.data) ? POLL_MS : false),
	});
	return (
		<>
			<Link href="/watchlists" className="invoice-back">
				<ChevronLeft className="icon" aria-hidden />
				{t("title")}
			</Link>
			{asked.data ? null : <PageTitle className="visually-hidden">{t("title")}</PageTitle>}
			<Block asked={asked} lines={8} missing={<Missing title={t("missing")} href="/watchlists" />}>
				{(list) => <List list={list} />}
			</Block>
		</>
	);
}

function List({ list }: { readonly list: Watchlist }) {
	const t = useWords(words);
	const { count, moment } = useFormat();
	const [params, setParams] = useSearchParams();
	const [isAdding, setAdding] = useState(false);
	const add = () => setAdding(true);
	return (
		<>
			<Head list={list} onAdd={add} />
			{list.source_omitted > 0 ? (
				<Callout tone="warn">{t("omitted", { count: count(list.source_omitted) })}</Callout>
			) : null}
			<section className="card card-body" aria-label={t("about")}>
				<dl className="pairs">
					<dt>{t("numbers")}</dt>
					<dd>
						<span className="number">{count(list.count)}</span>
						{" · "}
						{t(`source_${list.source ?? "own"}`)}
						{list.source === null ? null : (
							<span className="soft">
								{" · "}
								{list.source_filled_at === null ? t("filling") : t("filled", { time: moment(list.source_filled_at) })}
							</span>
						)}
					</dd>
					<dt>{t("watches")}</dt>
					<dd>{list.fields.map((field) => nameOfField(field, t)).join(", ")}</dd>
					<dt>{t("digest")}</dt>
					<dd>{t(list.digest ?? "never")}</dd>
					<dt>{t("recipients")}</dt>
					<dd>{list.emails.join(", ") || t("none")}</dd>
					{list.emails_stopped.length > 0 ? (
						<>
							<dt>{t("stopped")}</dt>
							<dd>{list.emails_stopped.join(", ")}</dd>
						</>
					) : null}
				</dl>
			</section>
			<section className="card card-tabs" aria-label={list.name}>
				<Tabs
					label={list.name}
					value={params.get("view") === "numbers" ? "numbers" : "changes"}
					onChange={(view) => setParams(view === "numbers" ? { view } : {}, { replace: true })}
					tabs={[
						{ value: "changes", title: t("changes"), content: () => <Changes list={list} onAdd={add} /> },
						{ value: "numbers", title: t("numbers"), content: () => <Numbers list={list} onAdd={add} /> },
					]}
				/>
			</section>
			{isAdding ? <AddDialog id={list.id} onClose={() => setAdding(false)} /> : null}
		</>
	);
}

function Head({ list, onAdd }: { readonly list: Watchlist; readonly onAdd: () => void }) {
	const t = useWords(words);
	const { may } = useHere();
	const [, go] = useLocation();
	const [open, setOpen] = useState<"change" | "remove">();
	const remove = useSend("deleteWatchlist", ["listWatchlists"]);
	const { id, name } = list;
	const end = () => setOpen(undefined);
	const trigger = (
		<Button isIcon icon={<Ellipsis aria-hidden />}>
			{t("actions")}
		</Button>
	);
	const items = [
		{ label: t("change"), icon: Pencil, onSelect: () => setOpen("change") },
		{ label: t("remove"), icon: Trash2, isBad: true, onSelect: () => setOpen("remove") },
	];
	return (
		<>
			<div className="page-head">
				<PageTitle>{name}</PageTitle>
				{may("watchlists:write") ? (
					<div className="toolbar">
						<Menu trigger={trigger} groups={[{ items }]} align="end" />
						{list.source === null ? (
							<Button kind="primary" icon={<Plus aria-hidden />} onClick={onAdd}>
								{t("addNumbers")}
							</Button>
						) : null}
					</div>
				) : null}
			</div>
			<Refusal error={remove.error} />
			{open === "change" ? <ListDialog list={list} onClose={end} /> : null}
			{open === "remove" ? (
				<SureDialog
					title={t("removeTitle", { name })}
					text={t("removeText")}
					word={t("remove")}
					onSure={() => {
						const onSuccess = () => {
							notify(t("removed"));
							go("/watchlists");
						};
						remove.mutate({ path: { id } }, { onSuccess });
						end();
					}}
					onClose={end}
				/>
			) : null}
		</>
	);
}
