/** The authorised ranges of numbers: how far they are used, when they end, and what can be done with their numbers. */
import { Ellipsis, Hash, Plus } from "lucide-react";
import { useState } from "react";
import type { Sequence } from "../../api/generated";
import { useCall, useSend } from "../../api/use-call";
import { useFormat } from "../../app/format";
import { useWords } from "../../app/language";
import { useHere } from "../../app/session";
import { Button } from "../../kit/button";
import { SureDialog } from "../../kit/dialog";
import { Menu } from "../../kit/menu";
import { PageTitle } from "../../kit/page-title";
import { Block, Empty, Refusal } from "../../kit/states";
import { Status } from "../../kit/status";
import { type Column, Table } from "../../kit/table";
import { notify } from "../../kit/toast";
import { words as listWords } from "../invoices/words";
import { LeaseDialog, RegisterDialog, VoidDialog } from "./dialogs";
import { Leases, Voids } from "./taken";
import { words } from "./words";

type Task =
	| { readonly kind: "register" | "lease" }
	| { readonly kind: "void" | "withdraw"; readonly sequence: Sequence };

export default function Sequences() {
	const t = useWords(words);
	const { may } = useHere();
	const [task, setTask] = useState<Task>();
	const asked = useCall("listSequences", { query: { limit: 100 } });
	const withdraw = useSend("withdrawSequence", ["listSequences", "getOverview"]);
	const end = () => setTask(undefined);
	const registerButton = (
		<Button kind="primary" icon={<Plus aria-hidden />} onClick={() => setTask({ kind: "register" })}>
			{t("register")}
		</Button>
	);
	return (
		<>
			<div className="page-head">
				<PageTitle>{t("title")}</PageTitle>
				{may("sequences:write") ? (
					<div className="toolbar">
						<Button onClick={() => setTask({ kind: "lease" })}>{t("lease")}</Button>
						{registerButton}
					</div>
				) : null}
			</div>
			<Refusal error={withdraw.error} />
			<section className="card" aria-label={t("ranges")}>
				<Block
					asked={asked}
					isEmpty={({ items }) => items.length === 0}
					empty={
						<Empty title={t("empty")} icon={Hash}>
							{t("emptyText")}
						</Empty>
					}
				>
					{({ items }) => <Ranges items={items} onTask={setTask} />}
				</Block>
			</section>
			<Leases />
			<Voids />
			{task?.kind === "register" ? <RegisterDialog onClose={end} /> : null}
			{task?.kind === "lease" ? <LeaseDialog onClose={end} /> : null}
			{task?.kind === "void" ? <VoidDialog sequence={task.sequence} onClose={end} /> : null}
			{task?.kind === "withdraw" ? (
				<SureDialog
					title={t("withdrawTitle", { from: task.sequence.from })}
					text={t("withdrawText")}
					word={t("withdraw")}
					onSure={() => {
						withdraw.mutate({ path: { id: task.sequence.id } }, { onSuccess: () => notify(t("withdrawn")) });
						end();
					}}
					onClose={end}
				/>
			) : null}
		</>
	);
}

const ENDING_DAYS = 30;
const DAY_MS = 86_400_000;

/** The day on which no number is left, or the last one expires. */
function isEnding({ status, expiresAt, forecast }: Sequence): boolean {
	const limit = new Date(Date.now() + ENDING_DAYS * DAY_MS).toISOString();
	return status === "active" && [expiresAt, forecast.exhaustedOn].some((day) => day !== null && day < limit);
}

type RangesProps = { readonly items: readonly Sequence[]; readonly onTask: (task: Task) => void };

function Ranges({ items, onTask }: RangesProps) {
	const t = useWords(words);
	const ofList = useWords(listWords);
	const { may } = useHere();
	const { count, day } = useFormat();
	const columns: readonly Column<Sequence>[] = [
		{
			...{ id: "range", title: t("range") },
			cell: ({ type, from, to, next }) => (
				<span className="sequences-range">
					<strong>{ofList(`type${type as "31"}`)}</strong>
					<span className="number">{`${from} – ${to}`}</span>
					{next === null ? null : <span className="soft">{t("next", { encf: next })}</span>}
				</span>
			),
		},
		{ id: "use", title: t("use"), cell: (sequence) => <Use sequence={sequence} /> },
		{
			...{ id: "pace", title: t("pace"), isNarrow: true },
			cell: ({ forecast }) => t("perDay", { count: count(forecast.perDay) }),
		},
		{
			...{ id: "ends", title: t("ends"), isNarrow: true },
			cell: ({ expiresAt, forecast: { exhaustedOn } }) => (
				<span className="sequences-range">
					{exhaustedOn === null ? null : <span>{t("exhaustedOn", { day: day(exhaustedOn) })}</span>}
					{expiresAt === null ? null : <span>{t("expiresOn", { day: day(expiresAt) })}</span>}
					{exhaustedOn === null && expiresAt === null ? <span className="soft">{t("noEnd")}</span> : null}
				</span>
			),
		},
		{
			...{ id: "state", title: t("state"), isNarrow: true, onPhone: "beside" },
			cell: (sequence) => {
				const { status } = sequence;
				if (isEnding(sequence)) return <Status tone="warn">{t("ending")}</Status>;
				return <Status tone={status === "active" ? "good" : "bad"}>{t(status)}</Status>;
			},
		},
		...(may("sequences:write")
			? [{ id: "actions", title: t("actions"), isActions: true, cell: (one: Sequence) => actionsOf(one) }]
			: []),
	];
	const actionsOf = (sequence: Sequence) => {
		const trigger = (
			<Button kind="quiet" isIcon icon={<Ellipsis aria-hidden />}>
				{t("actionsOf", { from: sequence.from })}
			</Button>
		);
		const entries = [
			...(sequence.next === null ? [] : [{ label: t("void"), onSelect: () => onTask({ kind: "void", sequence }) }]),
			{ label: t("withdraw"), isBad: true, onSelect: () => onTask({ kind: "withdraw", sequence }) },
		];
		return <Menu trigger={trigger} groups={[{ items: entries }]} align="end" />;
	};
	return <Table caption={t("ranges")} columns={columns} rows={items} rowId={({ id }) => id} />;
}

function Use({ sequence: { from, to, available } }: { readonly sequence: Sequence }) {
	const t = useWords(words);
	const { count, share } = useFormat();
	const size = Number(to.slice(3)) - Number(from.slice(3)) + 1;
	const used = 1 - available / size;
	return (
		<span className="sequences-use">
			<svg width="100%" height="6" aria-hidden>
				<rect className="chart-plain" width="100%" height="6" rx="3" />
				<rect className="chart-accent" width={`${used * 100}%`} height="6" rx="3" />
			</svg>
			<span>
				{`${t("free", { count: count(available) })} · `}
				<span className="soft">{t("used", { share: share(used) })}</span>
			</span>
		</span>
	);
}
