/** The ingest runs of the registry, and the way back to an earlier one. */
import { DatabaseZap } from "lucide-react";
import { useState } from "react";
import { useSearchParams } from "wouter";
import type { Answer } from "../../api/call";
import { useCall, useSend } from "../../api/use-call";
import { useFormat } from "../../app/format";
import { useWords } from "../../app/language";
import { useMayOperate } from "../../app/session";
import { Button } from "../../kit/button";
import { SureDialog } from "../../kit/dialog";
import { PageTitle } from "../../kit/page-title";
import { Block, Empty, Refusal } from "../../kit/states";
import { Status } from "../../kit/status";
import { type Column, Pages, Table } from "../../kit/table";
import { notify } from "../../kit/toast";
import { words } from "./words";

type Run = Answer<"listOperatorRuns">["items"][number];

const PAGE = 25;
const TONES = { ok: "good", refused: "warn", failed: "bad" } as const;

export default function Runs() {
	const t = useWords(words);
	const { moment, count } = useFormat();
	const mayChange = useMayOperate();
	const [target, setTarget] = useState<Run>();
	const [params] = useSearchParams();
	const after = params.get("after");
	const query = { limit: PAGE, ...(after ? { after } : {}) };
	const asked = useCall("listOperatorRuns", { query }, { keepsFormer: true });
	const back = useSend("rollBackRegistry", ["listOperatorRuns"]);
	const changesOf = ({ added, changed, removed }: Run) =>
		added === null || changed === null || removed === null
			? "—"
			: t("changesText", { added: count(added), changed: count(changed), removed: count(removed) });
	const columns: readonly Column<Run>[] = [
		{
			...{ id: "run", title: t("run") },
			cell: ({ startedAt, source, reason }) => (
				<span className="operator-name">
					<strong>{moment(startedAt)}</strong>
					<span className="soft">{reason ?? source}</span>
				</span>
			),
		},
		{
			...{ id: "result", title: t("result"), onPhone: "beside" },
			cell: ({ result, current }) =>
				current ? (
					<Status tone="good">{t("current")}</Status>
				) : (
					<Status tone={TONES[result as keyof typeof TONES]}>{t(result as keyof typeof TONES)}</Status>
				),
		},
		{ id: "records", title: t("records"), align: "end", cell: ({ recordCount }) => count(recordCount) },
		{ id: "changes", title: t("changes"), align: "end", isNarrow: true, cell: changesOf },
		...(mayChange
			? [
					{
						...{ id: "actions", title: t("actions"), isActions: true },
						cell: (run: Run) => (run.restorable ? <Button onClick={() => setTarget(run)}>{t("goBack")}</Button> : null),
					},
				]
			: []),
	];
	return (
		<>
			<div className="page-head">
				<PageTitle>{t("runsTitle")}</PageTitle>
			</div>
			<p className="soft">{t("runsText")}</p>
			<Refusal error={back.error} />
			<section className="card" aria-label={t("runsTitle")}>
				<Block
					asked={asked}
					lines={8}
					isEmpty={({ items }) => items.length === 0}
					empty={
						<Empty title={t("noRuns")} icon={DatabaseZap}>
							{t("noRunsText")}
						</Empty>
					}
				>
					{({ items, next }) => (
						<>
							<Table caption={t("runsTitle")} columns={columns} rows={items} rowId={({ runId }) => runId} />
							<Pages next={next} />
						</>
					)}
				</Block>
			</section>
			{target ? (
				<SureDialog
					title={t("goBackTitle", { time: moment(target.startedAt) })}
					text={t("goBackText")}
					word={t("goBack")}
					onSure={() => {
						back.mutate({ path: { id: target.runId } }, { onSuccess: () => notify(t("wentBack")) });
						setTarget(undefined);
					}}
					onClose={() => setTarget(undefined)}
				/>
			) : null}
		</>
	);
}
