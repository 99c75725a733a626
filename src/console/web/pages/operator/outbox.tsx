/** What waits to be carried out, by kind and age. */
import type { Answer } from "../../api/call";
import { useCall } from "../../api/use-call";
import { useFormat } from "../../app/format";
import { useWords } from "../../app/language";
import { PageTitle } from "../../kit/page-title";
import { Block } from "../../kit/states";
import { Status } from "../../kit/status";
import { type Column, Table } from "../../kit/table";
import { words } from "./words";

type Kind = Answer<"getOutbox">["items"][number];

const EVERY_MS = 5_000;
/** A message that has been due for longer waits for something. */
const LATE_SECONDS = 60;

export default function Outbox() {
	const t = useWords(words);
	const { count, ago } = useFormat();
	const asked = useCall("getOutbox", {}, { everyMs: EVERY_MS });
	const since = (seconds: number) => (seconds === 0 ? "—" : ago(new Date(Date.now() - seconds * 1_000).toISOString()));
	const stateOf = ({ dead, oldestSeconds }: Kind) =>
		dead > 0 ? (
			<Status tone="bad">{t("dead")}</Status>
		) : oldestSeconds > LATE_SECONDS ? (
			<Status tone="warn">{t("late")}</Status>
		) : (
			<Status tone="good">{t("onTime")}</Status>
		);
	const columns: readonly Column<Kind>[] = [
		{
			...{ id: "kind", title: t("kind") },
			cell: ({ kind }) => (
				<span className="operator-name">
					<strong>{t(`kind_${kind as "invoice.submit"}`)}</strong>
					<code className="soft">{kind}</code>
				</span>
			),
		},
		{ id: "state", title: t("state"), onPhone: "beside", cell: stateOf },
		{ id: "waiting", title: t("waiting"), align: "end", cell: ({ waiting }) => count(waiting) },
		{ id: "due", title: t("due"), align: "end", onPhone: "nowhere", cell: ({ due }) => count(due) },
		{ id: "oldest", title: t("oldest"), align: "end", cell: ({ oldestSeconds }) => since(oldestSeconds) },
		{ id: "dead", title: t("dead"), align: "end", onPhone: "nowhere", cell: ({ dead }) => count(dead) },
	];
	return (
		<>
			<div className="page-head">
				<PageTitle>{t("outboxTitle")}</PageTitle>
			</div>
			<p className="soft">{t("outboxText")}</p>
			<section className="card" aria-label={t("outboxTitle")}>
				<Block asked={asked} lines={12}>
					{({ items }) => (
						<Table caption={t("outboxTitle")} columns={columns} rows={items} rowId={({ kind }) => kind} />
					)}
				</Block>
			</section>
		</>
	);
}
