/** The invoices that one caller has prepared and a person approves or discards. */
import { CircleHelp, ClipboardCheck, SearchX } from "lucide-react";
import { Link, useSearchParams } from "wouter";
import type { Input } from "../../api/call";
import type { PreparedInvoiceItem } from "../../api/generated";
import { useLiveRenewal } from "../../api/live";
import { useCall } from "../../api/use-call";
import { useFormat } from "../../app/format";
import { useWords } from "../../app/language";
import { Button } from "../../kit/button";
import { Field, Select } from "../../kit/field";
import { Block, Empty, Prose } from "../../kit/states";
import { Status, type Tone } from "../../kit/status";
import { type Column, Pages, Table } from "../../kit/table";
import type { TYPES } from "../invoices/filter";
import { words as listWords } from "../invoices/words";
import { words } from "./words";

type State = PreparedInvoiceItem["status"];

const TONES: Readonly<Record<State, Tone>> = { waiting: "warn", issued: "good", rejected: "plain", expired: "plain" };
const STATES = Object.keys(TONES) as State[];
const ALL = "all";
const PAGE = 50;
const GATHER_MS = 300;

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
	const show = (state: string) => setParams(state === "waiting" ? {} : { status: state }, { replace: true });
	const empty =
		status === "waiting" ? (
			<Empty
				title={t("noneTitle")}
				icon={ClipboardCheck}
				actions={
					<>
						<Button onClick={() => show(ALL)}>{t("showAll")}</Button>
						<a className="button button-plain" href="/docs/mcp" target="_blank" rel="noreferrer">
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
				<h1>{t("title")}</h1>
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
							<PreparedTable items={answer.items} />
							<Pages next={answer.next} />
						</>
					)}
				</Block>
			</section>
		</>
	);
}

function PreparedTable({ items }: { readonly items: readonly PreparedInvoiceItem[] }) {
	const t = useWords(words);
	const ofList = useWords(listWords);
	const { amount, moment, ago } = useFormat();
	const columns: readonly Column<PreparedInvoiceItem>[] = [
		{
			...{ id: "buyer", title: t("buyer") },
			cell: ({ id, summary: { customer, type } }) => (
				<>
					<Link href={`/prepared/${id}`}>{customer?.name ?? customer?.rnc ?? t("noBuyer")}</Link>
					<span className="invoices-under">{ofList(`type${type as (typeof TYPES)[number]}`)}</span>
				</>
			),
		},
		{
			...{ id: "total", title: t("total"), align: "end" },
			cell: ({ summary: { totals, currency } }) => amount(totals.grand_total, currency),
		},
		{ id: "preparedAt", title: t("preparedAt"), isNarrow: true, cell: ({ createdAt }) => moment(createdAt) },
		{
			...{ id: "expiresAt", title: t("expiresAt"), isNarrow: true },
			cell: ({ status, expiresAt }) => (status === "waiting" ? ago(expiresAt) : ""),
		},
		{ id: "status", title: t("status"), isNarrow: true, cell: ({ status }) => <StateMark state={status} /> },
	];
	return <Table caption={t("title")} columns={columns} rows={items} rowId={({ id }) => id} />;
}
