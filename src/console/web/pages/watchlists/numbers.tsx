/** The taxpayers on a list: seen with their names, added by paste or file, and taken off. */
import { ListPlus, Plus } from "lucide-react";
import { type FormEvent, useId, useState } from "react";
import { Link, useSearchParams } from "wouter";
import { parseTaxpayerDocument } from "../../../../platform/values";
import type { BatchEntry, Watchlist, WatchlistDocuments } from "../../api/generated";
import { useCall, useSend } from "../../api/use-call";
import { useFormat } from "../../app/format";
import { useWords } from "../../app/language";
import { useHere } from "../../app/session";
import { Button, FileButton } from "../../kit/button";
import { Dialog, FormActions } from "../../kit/dialog";
import { Field, TextArea } from "../../kit/field";
import { Block, Empty, Refusal } from "../../kit/states";
import { TaxpayerStatusMark } from "../../kit/status";
import { type Column, Pages, SelectionBar, Table } from "../../kit/table";
import { notify } from "../../kit/toast";
import { words } from "./words";

type Watched = WatchlistDocuments["items"][number];

const PAGE = 50;
/** What the free plan looks up at once. */
const NAMES_MAX = 100;
const RENEWED = ["getWatchlist", "listWatchlists", "listWatchlistDocuments", "listWatchlistChanges"] as const;
const NONE: ReadonlySet<string> = new Set();

/** What the registry says of numbers now; undefined while it is asked, null for a number that it does not have. */
export function useNames(documents: readonly string[]): ReadonlyMap<string, BatchEntry | null> {
	const { may } = useHere();
	const asked = [...new Set(documents)].slice(0, NAMES_MAX);
	const { data } = useCall(
		"batchDocuments",
		{ body: { documents: asked } },
		{ enabled: asked.length > 0 && may("registry:read") },
	);
	return new Map(data?.results.map((one) => [one.document, one.outcome === "found" ? one.entry : null]));
}

export function Taxpayer({ document, reference, entry }: Watched & { readonly entry: BatchEntry | null | undefined }) {
	return (
		<>
			<Link href={`/registry/${document}`}>{entry?.name ?? document}</Link>
			<span className="invoices-under number">{[entry ? document : "", reference].filter(Boolean).join(" · ")}</span>
		</>
	);
}

type PartProps = { readonly list: Watchlist; readonly onAdd: () => void };

export function NoNumbers({ list: { source }, onAdd }: PartProps) {
	const t = useWords(words);
	const { may } = useHere();
	const add =
		source === null && may("watchlists:write") ? (
			<Button kind="primary" icon={<Plus aria-hidden />} onClick={onAdd}>
				{t("addNumbers")}
			</Button>
		) : null;
	return (
		<Empty title={t("noneYet")} icon={ListPlus} actions={add}>
			{t(source === null ? "noneYetText" : "noneYetSource")}
		</Empty>
	);
}

export function Numbers({ list, onAdd }: PartProps) {
	const [params] = useSearchParams();
	const after = params.get("after");
	const input = { path: { id: list.id }, query: { limit: PAGE, ...(after === null ? {} : { after }) } };
	const asked = useCall("listWatchlistDocuments", input, { keepsFormer: true });
	return (
		<Block asked={asked} isEmpty={({ items }) => items.length === 0} empty={<NoNumbers {...{ list, onAdd }} />}>
			{({ items, next }) => (
				<>
					<NumberTable list={list} items={items} />
					<Pages next={next} />
				</>
			)}
		</Block>
	);
}

function NumberTable({ list, items }: { readonly list: Watchlist; readonly items: readonly Watched[] }) {
	const t = useWords(words);
	const { count } = useFormat();
	const { may } = useHere();
	const [chosen, setChosen] = useState(NONE);
	const names = useNames(items.map(({ document }) => document));
	const remove = useSend("removeWatchlistDocuments", RENEWED);
	const columns: readonly Column<Watched>[] = [
		{
			...{ id: "taxpayer", title: t("taxpayer") },
			cell: (watched) => <Taxpayer {...watched} entry={names.get(watched.document)} />,
		},
		{
			...{ id: "status", title: t("status"), isNarrow: true, onPhone: "beside" },
			cell: ({ document }) => {
				const entry = names.get(document);
				if (entry === null) return <span className="soft">{t("notFound")}</span>;
				return entry ? <TaxpayerStatusMark status={entry.status} /> : null;
			},
		},
	];
	const takeOff = () =>
		remove.mutate(
			{ path: { id: list.id }, body: { documents: [...chosen].map((document) => ({ document })) } },
			{
				onSuccess: () => {
					notify(t("takenOff", { count: count(chosen.size) }));
					setChosen(NONE);
				},
			},
		);
	const mayChange = may("watchlists:write") && list.source === null;
	const selection = { chosen, onChange: setChosen, nameOf: (id: string) => names.get(id)?.name ?? id };
	return (
		<>
			<Refusal error={remove.error} />
			<Table
				caption={t("numbers")}
				columns={columns}
				rows={items}
				rowId={({ document }) => document}
				{...(mayChange ? { selection } : {})}
			/>
			{chosen.size > 0 ? (
				<SelectionBar count={chosen.size} onClear={() => setChosen(NONE)}>
					<Button kind="danger" isBusy={remove.isPending} onClick={takeOff}>
						{t("takeOff")}
					</Button>
				</SelectionBar>
			) : null}
		</>
	);
}

/** Lines of a number and, after a comma, semicolon or tab, a reference. A first line without digits names the columns. */
function readLines(text: string): { readonly documents: Watched[]; readonly bad?: { line: number; text: string } } {
	const documents: Watched[] = [];
	for (const [at, line] of text.split(/\r\n|\n|\r/).entries()) {
		const [, number = "", reference = ""] = /^([^,;\t]*)[,;\t]?(.*)$/.exec(line.trim()) ?? [];
		if (line.trim() === "" || (at === 0 && !/\d/.test(number))) continue;
		const [bare, own] = [number, reference].map((cell) => cell.trim().replace(/^"(.*)"$/, "$1"));
		const parsed = parseTaxpayerDocument(bare ?? "");
		if (!parsed) return { documents, bad: { line: at + 1, text: (bare ?? "").slice(0, 40) } };
		documents.push({ document: parsed.digits, ...(own ? { reference: own } : {}) });
	}
	return { documents };
}

export function AddDialog({ id, onClose }: { readonly id: string; readonly onClose: () => void }) {
	const t = useWords(words);
	const { count } = useFormat();
	const form = useId();
	const [text, setText] = useState("");
	const [replaces, setReplaces] = useState(false);
	const [fault, setFault] = useState<string>();
	const add = useSend("addWatchlistDocuments", RENEWED);
	const put = useSend("putWatchlistDocuments", RENEWED);
	const submit = (event: FormEvent<HTMLFormElement>) => {
		event.preventDefault();
		const { documents, bad } = readLines(text);
		setFault(bad && t("badLine", bad));
		if (bad || documents.length === 0) return;
		const onSuccess = (list: Watchlist) => {
			notify(t("added_count", { count: count(list.count) }));
			onClose();
		};
		// The service reads the same lines, and says which row it refuses.
		if (replaces) put.mutate({ path: { id }, body: new Blob([text], { type: "text/csv" }) }, { onSuccess });
		else add.mutate({ path: { id }, body: { documents } }, { onSuccess });
	};
	const actions = (
		<FormActions form={form} isBusy={add.isPending || put.isPending} disabled={text.trim() === ""} onClose={onClose}>
			{t("addNumbers")}
		</FormActions>
	);
	return (
		<Dialog title={t("addTitle")} isOpen onClose={onClose} actions={actions}>
			<form id={form} className="stack" onSubmit={submit}>
				<Refusal error={add.error ?? put.error} />
				<Field label={t("paste")} hint={t("pasteHint")} error={fault}>
					<TextArea
						rows={8}
						value={text}
						spellCheck={false}
						onChange={({ target }) => {
							setText(target.value);
							setFault(undefined);
						}}
					/>
				</Field>
				<div>
					<FileButton accept=".csv,.tsv,.txt" isBusy={false} onFile={(file) => void file.text().then(setText)}>
						{t("chooseFile")}
					</FileButton>
				</div>
				<label className="check">
					<input type="checkbox" checked={replaces} onChange={() => setReplaces(!replaces)} />
					<span>
						{t("replaces")} <span className="soft">{t("replacesHint")}</span>
					</span>
				</label>
			</form>
		</Dialog>
	);
}
