/** The invoices that one caller has prepared and a person approves or discards. */
import { Check, CircleHelp, ClipboardCheck, SearchX } from "lucide-react";
import { useState } from "react";
import { Link, useSearchParams } from "wouter";
import type { Input } from "../../api/call";
import type { PreparedInvoiceItem } from "../../api/generated";
import { useLiveRenewal } from "../../api/live";
import { useCall, useOnline } from "../../api/use-call";
import { useFormat } from "../../app/format";
import { toGuide, useWords } from "../../app/language";
import { useHere } from "../../app/session";
import { Button } from "../../kit/button";
import { Field, Select } from "../../kit/field";
import { PageTitle } from "../../kit/page-title";
import { Block, Empty, Prose } from "../../kit/states";
import { Status, type Tone } from "../../kit/status";
import { type Column, Pages, SelectionBar, Table } from "../../kit/table";
import type { TYPES } from "../invoices/filter";
import { words as listWords } from "../invoices/words";
import { ApprovalDialog } from "./approval";
import { words } from "./words";

type State = PreparedInvoiceItem["status"];

const TONES: Readonly<Record<State, Tone>> = { waiting: "warn", issued: "good", rejected: "plain", expired: "plain" };
const STATES = Object.keys(TONES) as State[];
const ALL = "all";
/** As many as are approved at once. */
const PAGE = 100;
const GATHER_MS = 300;
const NONE: ReadonlySet<string> = new Set();

export function StateMark({ state }: { readonly state: State }) {
	const t = useWords(words);
	return <Status tone={TONES[state]}>{t(state)}</Status>;
}

export default function PreparedPage() {
	const t = useWords(words);
	const [params, setParams] = useSearchParams();
	const status = params.get("status") ?? "waiting";
	const query = { ...(status === ALL ? {} : { status }), after: params.get("after") ?? "", limit: PAGE };
	// The address may have any text; the service says what it refuses.
	const input = { query: query as NonNullable<Input<"listPreparedInvoices">["query"]> };
	const asked = useCall("listPreparedInvoices", input, { keepsFormer: true });
	// An approval is heard of by the verdict on its document.
	useLiveRenewal(["listPreparedInvoices"], GATHER_MS);
	const { may } = useHere();
	const [chosen, setChosen] = useState(NONE);
	const [approving, setApproving] = useState<readonly PreparedInvoiceItem[]>();
	const nameOf = ({ summary: { customer } }: PreparedInvoiceItem) => customer?.name ?? customer?.rnc ?? t("noBuyer");
	const isOnline = useOnline();
	// What is no longer shown, or no longer waits, must not be acted upon.
	const chosenItems = asked.data?.items.filter((one) => one.status === "waiting" && chosen.has(one.id)) ?? [];
	const show = (state: string) => {
		setChosen(NONE);
		setParams(state === "waiting" ? {} : { status: state }, { replace: true });
	};
	const empty =
		status === "waiting" ? (
			<Empty
				title={t("noneTitle")}
				icon={ClipboardCheck}
				actions={
					<>
						<Button onClick={() => show(ALL)}>{t("showAll")}</Button>
						<a className="button button-plain" href={toGuide("mcp")} target="_blank" rel="noreferrer">
							<CircleHelp aria-hidden />
							{t("howTo")}
						</a>
					</>
				}
			>
				<Prose text={t("noneText")} />
			</Empty>
		) : (
			<Empty
				title={t("noneOther")}
				icon={SearchX}
				actions={status === ALL ? null : <Button onClick={() => show(ALL)}>{t("showAll")}</Button>}
			/>
		);
	return (
		<>
			<div className="page-head">
				<PageTitle>{t("title")}</PageTitle>
			</div>
			<search className="toolbar list-filter">
				<Field label={t("status")} hidesLabel>
					<Select
						value={status}
						onChange={({ target }) => show(target.value)}
						options={[...STATES.map((value) => ({ value, label: t(value) })), { value: ALL, label: t("any") }]}
					/>
				</Field>
			</search>
			<section className={`card list${asked.isPlaceholderData ? " invoices-former" : ""}`} aria-label={t("title")}>
				<Block asked={asked} lines={8} isEmpty={({ items }) => items.length === 0} empty={empty}>
					{(answer) => (
						<>
							<PreparedTable
								items={answer.items}
								nameOf={nameOf}
								{...(status === "waiting" && may("invoices:write") ? { chosen, onChoose: setChosen } : {})}
							/>
							<Pages next={answer.next} />
						</>
					)}
				</Block>
			</section>
			{chosenItems.length > 0 && isOnline ? (
				<SelectionBar count={chosenItems.length} onClear={() => setChosen(NONE)}>
					<Button kind="primary" icon={<Check aria-hidden />} onClick={() => setApproving(chosenItems)}>
						{t("approveShort")}
					</Button>
				</SelectionBar>
			) : null}
			{approving ? <ApprovalDialog items={approving} nameOf={nameOf} onClose={() => setApproving(undefined)} /> : null}
		</>
	);
}

type PreparedTableProps = {
	readonly items: readonly PreparedInvoiceItem[];
	readonly nameOf: (item: PreparedInvoiceItem) => string;
	/** Without it no rows can be chosen. */
	readonly onChoose?: (chosen: ReadonlySet<string>) => void;
	readonly chosen?: ReadonlySet<string>;
};

function PreparedTable({ items, nameOf, onChoose, chosen = NONE }: PreparedTableProps) {
	const t = useWords(words);
	const ofList = useWords(listWords);
	const { amount, moment, ago } = useFormat();
	const columns: readonly Column<PreparedInvoiceItem>[] = [
		{
			...{ id: "buyer", title: t("buyer") },
			cell: (item) => (
				<>
					<Link href={`/prepared/${item.id}`}>{nameOf(item)}</Link>
					<span className="invoices-under">{ofList(`type${item.summary.type as (typeof TYPES)[number]}`)}</span>
				</>
			),
		},
		{
			...{ id: "total", title: t("total"), align: "end", onPhone: "beside" },
			cell: ({ summary: { totals, currency } }) => amount(totals.grand_total, currency),
		},
		{ id: "preparedAt", title: t("preparedAt"), isNarrow: true, cell: ({ createdAt }) => moment(createdAt) },
		{
			...{ id: "expiresAt", title: t("expiresAt"), isNarrow: true },
			cell: ({ status, expiresAt }) => (status === "waiting" ? ago(expiresAt) : ""),
		},
		{
			id: "status",
			title: t("status"),
			isNarrow: true,
			onPhone: "beside",
			cell: ({ status }) => <StateMark state={status} />,
		},
	];
	const names = new Map(items.map((one) => [one.id, nameOf(one)]));
	const selection = onChoose && { chosen, onChange: onChoose, nameOf: (id: string) => names.get(id) ?? id };
	return (
		<Table
			caption={t("title")}
			columns={columns}
			rows={items}
			rowId={({ id }) => id}
			{...(selection ? { selection } : {})}
		/>
	);
}
