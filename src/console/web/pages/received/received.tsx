/** The documents that suppliers have issued to the company, and its word on each. */
import { useQueryClient } from "@tanstack/react-query";
import { Inbox } from "lucide-react";
import { Link, useLocation, useSearchParams } from "wouter";
import type { Input } from "../../api/call";
import type { ReceivedDocument } from "../../api/generated";
import { useLive } from "../../api/live";
import { callKey, useCall, useSend } from "../../api/use-call";
import { useFormat } from "../../app/format";
import { useWords } from "../../app/language";
import { useHere } from "../../app/session";
import { FileButton } from "../../kit/button";
import { Field, labelOf, Select } from "../../kit/field";
import { PageTitle } from "../../kit/page-title";
import { SearchField } from "../../kit/search-field";
import { Block, Empty, NoneFound, Refusal } from "../../kit/states";
import { type Column, Pages, Table } from "../../kit/table";
import { AuthorityMark, DecisionMark } from "./marks";
import { words } from "./words";

const STATES = ["unknown", "accepted", "rejected", "not_found"] as const;
const PAGE = 50;

export default function ReceivedPage() {
	const t = useWords(words);
	const client = useQueryClient();
	const { may } = useHere();
	const [params, setParams] = useSearchParams();
	const filter = { status: params.get("status") ?? "", issuer_rnc: params.get("issuer_rnc") ?? "" };
	const after = params.get("after") ?? "";
	// The address may have any text; the service says what it refuses.
	const query = { ...filter, after, limit: PAGE } as NonNullable<Input<"listReceivedDocuments">["query"]>;
	const asked = useCall("listReceivedDocuments", { query }, { keepsFormer: true });
	useLive(({ event }) => {
		if (event === "document.received") {
			void client.invalidateQueries({ queryKey: callKey("listReceivedDocuments") });
		}
	});
	const change = (values: Partial<typeof filter>) => {
		const entries = Object.entries({ ...filter, ...values }).filter(([, value]) => value !== "");
		setParams(new URLSearchParams(entries), { replace: true });
	};
	const isFiltered = filter.status !== "" || filter.issuer_rnc !== "";
	const states = STATES.map((value) => ({ value, label: t(value) }));
	const filters = [
		[t("issuerRnc"), filter.issuer_rnc],
		[t("authority"), labelOf(states, filter.status)],
	] as const;
	const empty = isFiltered ? (
		<NoneFound title={t("noneTitle")} filters={filters} onClear={() => setParams({}, { replace: true })} />
	) : (
		<Empty title={t("emptyTitle")} icon={Inbox}>
			{t("emptyText")}
		</Empty>
	);
	return (
		<>
			<div className="page-head">
				<PageTitle>{t("title")}</PageTitle>
				{may("documents:receive") ? <Import /> : null}
			</div>
			<search className="toolbar list-filter">
				<SearchField
					label={t("issuerRnc")}
					placeholder={t("issuerRnc")}
					value={filter.issuer_rnc}
					onChange={(issuer_rnc) => change({ issuer_rnc })}
				/>
				<Field label={t("authority")} hidesLabel>
					<Select
						value={filter.status}
						onChange={({ target }) => change({ status: target.value })}
						options={[{ value: "", label: t("anyStatus") }, ...states]}
					/>
				</Field>
			</search>
			<section className={`card list${asked.isPlaceholderData ? " invoices-former" : ""}`} aria-label={t("title")}>
				<Block asked={asked} lines={8} isEmpty={({ items }) => items.length === 0} empty={empty}>
					{(answer) => (
						<>
							<ReceivedTable items={answer.items} />
							<Pages next={answer.next} />
						</>
					)}
				</Block>
			</section>
		</>
	);
}

function ReceivedTable({ items }: { readonly items: readonly ReceivedDocument[] }) {
	const t = useWords(words);
	const { amount, day } = useFormat();
	const columns: readonly Column<ReceivedDocument>[] = [
		{
			...{ id: "number", title: t("number") },
			cell: ({ id, encf, issuer }) => (
				<>
					<Link href={`/received/${id}`} className="number">
						{encf}
					</Link>
					<span className="invoices-under">{issuer.name}</span>
				</>
			),
		},
		{
			...{ id: "total", title: t("total"), align: "end", onPhone: "beside" },
			cell: ({ totals }) => amount(totals.grand_total),
		},
		{ id: "issueDate", title: t("issueDate"), isNarrow: true, cell: ({ issueDate }) => day(issueDate) },
		{
			...{ id: "authority", title: t("authority"), isNarrow: true },
			cell: ({ authorityStatus }) => <AuthorityMark status={authorityStatus} />,
		},
		{
			...{ id: "decision", title: t("decision"), isNarrow: true, onPhone: "beside" },
			cell: ({ approval }) => <DecisionMark decision={approval?.decision} />,
		},
	];
	return <Table caption={t("title")} columns={columns} rows={items} rowId={({ id }) => id} />;
}

/** A signed file that came another way. */
function Import() {
	const t = useWords(words);
	const [, go] = useLocation();
	const send = useSend("importReceivedDocument", ["listReceivedDocuments"]);
	return (
		<div className="stack">
			<FileButton
				accept=".xml"
				isBusy={send.isPending}
				onFile={(file) => {
					const body = new Blob([file], { type: "application/xml" });
					send.mutate({ body }, { onSuccess: ({ id }) => go(`/received/${id}`) });
				}}
			>
				{t("import")}
			</FileButton>
			<Refusal error={send.error} />
		</div>
	);
}
