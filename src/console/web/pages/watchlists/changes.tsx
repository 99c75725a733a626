/** What the registry has changed of the taxpayers on a list, newest first. */
import { useQuery } from "@tanstack/react-query";
import { History } from "lucide-react";
import { type CallError, call } from "../../api/call";
import type { Watchlist, WatchlistChanges } from "../../api/generated";
import { useLiveRenewal } from "../../api/live";
import { callKey } from "../../api/use-call";
import { useFormat } from "../../app/format";
import { useWords } from "../../app/language";
import { Block, Empty } from "../../kit/states";
import { Status } from "../../kit/status";
import { type Column, Table } from "../../kit/table";
import { nameOfField } from "./list-dialog";
import { NoNumbers, Taxpayer, useNames } from "./numbers";
import { words } from "./words";

type Change = WatchlistChanges["changes"][number];

const SHOWN_MAX = 100;
const PAGE = 1_000;
/** Each reads up to 100,000 changes of the registry. */
const PAGES_MAX = 20;
/** A run of the registry reports many changes one after another. */
const GATHER_MS = 1_000;

type Found = { readonly changes: readonly Change[]; readonly isCut: boolean };

/** The service gives the oldest first; the newest are wanted. */
async function collectChanges(id: string, signal: AbortSignal): Promise<Found> {
	const changes: Change[] = [];
	let after: string | undefined;
	for (let page = 1; page <= PAGES_MAX; page++) {
		const query = { limit: PAGE, ...(after === undefined ? {} : { after }) };
		const answer = await call("listWatchlistChanges", { path: { id }, query }, { signal });
		changes.push(...answer.changes);
		if (!answer.partial) break;
		after = answer.next;
	}
	return { changes: changes.toReversed().slice(0, SHOWN_MAX), isCut: changes.length > SHOWN_MAX };
}

export function Changes({ list, onAdd }: { readonly list: Watchlist; readonly onAdd: () => void }) {
	const t = useWords(words);
	const { count } = useFormat();
	const { id } = list;
	// Changes of a number that comes onto the list are shown too.
	const asked = useQuery<Found, CallError>({
		queryKey: [...callKey("listWatchlistChanges", { path: { id } }), list.updated_at],
		queryFn: ({ signal }) => collectChanges(id, signal),
	});
	useLiveRenewal(["listWatchlistChanges"], GATHER_MS);
	const empty =
		list.count === 0 ? (
			<NoNumbers list={list} onAdd={onAdd} />
		) : (
			<Empty title={t("noChanges")} icon={History}>
				{t("noChangesText")}
			</Empty>
		);
	return (
		<Block asked={asked} isEmpty={({ changes }) => changes.length === 0} empty={empty}>
			{({ changes, isCut }) => (
				<>
					<ChangeTable changes={changes} />
					{isCut ? <p className="soft watchlists-note">{t("changesCut", { count: count(changes.length) })}</p> : null}
				</>
			)}
		</Block>
	);
}

const KINDS = { added: "added", changed: "changed", removed: "removedFromRegistry" } as const;

function ChangeTable({ changes }: { readonly changes: readonly Change[] }) {
	const t = useWords(words);
	const { moment } = useFormat();
	const names = useNames(changes.map(({ document }) => document));
	const columns: readonly Column<Change>[] = [
		{
			...{ id: "taxpayer", title: t("taxpayer") },
			cell: (change) => <Taxpayer {...change} entry={names.get(change.document)} />,
		},
		{
			...{ id: "what", title: t("what"), onPhone: "plain" },
			cell: ({ change, fields }) => (
				<span className="watchlists-change">
					{fields.length === 0 ? t(KINDS[change]) : null}
					{fields.map(({ field, was, is }) => (
						<span key={field}>
							{t("was", { field: nameOfField(field, t), was: was || t("blank"), is: is || t("blank") })}
						</span>
					))}
				</span>
			),
		},
		{
			...{ id: "risk", title: t("risk"), isNarrow: true, onPhone: "beside" },
			cell: ({ risk }) => (risk ? <Status tone="bad">{t("risk")}</Status> : null),
		},
		{ id: "when", title: t("when"), isNarrow: true, onPhone: "plain", cell: ({ at }) => moment(at) },
	];
	const rowId = ({ document, run_id, at }: Change) => [document, run_id, at].join(" ");
	return <Table caption={t("changes")} columns={columns} rows={changes} rowId={rowId} />;
}
