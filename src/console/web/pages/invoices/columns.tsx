/** The columns of lists of invoices, and which of them a person wants to see. */
import { Columns3 } from "lucide-react";
import { useState } from "react";
import { Link, useSearchParams } from "wouter";
import type { InvoiceListItem } from "../../api/generated";
import { useFormat } from "../../app/format";
import { readStored, store, useWords } from "../../app/language";
import { Button } from "../../kit/button";
import { Menu } from "../../kit/menu";
import { type InvoiceStatus, InvoiceStatusMark } from "../../kit/status";
import type { Column } from "../../kit/table";
import type { TYPES } from "./filter";
import { words } from "./words";

/** In their order. The number is always there. */
const OPTIONAL = [
	...(["buyer", "ownId", "issueDate", "receivedAt", "subtotal", "tax", "total", "currency", "status"] as const),
] as const;
type Optional = (typeof OPTIONAL)[number];
const USUAL: readonly Optional[] = ["buyer", "issueDate", "total", "status"];
const STORED = "sello-invoice-columns";

/** Names of types and buyers are the reader's; the rest is the document's own. */
export function useInvoiceColumns(shown: readonly Optional[] = USUAL): readonly Column<InvoiceListItem>[] {
	const t = useWords(words);
	const { amount, day, moment } = useFormat();
	const all: readonly (Column<InvoiceListItem> & { readonly id: "number" | Optional })[] = [
		{
			...{ id: "number", title: t("number") },
			cell: ({ docId, encf, type }) => (
				<>
					<Link href={`/invoices/${docId}`} className="number">
						{encf}
					</Link>
					<span className="invoices-under">{t(`type${type as (typeof TYPES)[number]}`)}</span>
				</>
			),
		},
		{
			...{ id: "buyer", title: t("buyer"), onPhone: "plain" },
			cell: ({ customer }) => (
				<>
					<span className="invoices-name">{customer?.name ?? t("noBuyer")}</span>
					<span className="invoices-under number">{customer?.rnc}</span>
				</>
			),
		},
		{
			id: "ownId",
			title: t("ownId"),
			onPhone: "nowhere",
			cell: ({ client_request_id: id }) => <span className="invoices-name">{id}</span>,
		},
		{
			id: "issueDate",
			title: t("issueDate"),
			isNarrow: true,
			onPhone: "plain",
			cell: ({ issueDate }) => day(issueDate),
		},
		{
			id: "receivedAt",
			title: t("receivedAt"),
			isNarrow: true,
			onPhone: "nowhere",
			cell: ({ receivedAt }) => moment(receivedAt),
		},
		{
			...{ id: "subtotal", title: t("subtotal"), align: "end", onPhone: "nowhere" },
			cell: ({ totals, currency }) => amount(totals.subtotal, currency),
		},
		{
			...{ id: "tax", title: t("tax"), align: "end", onPhone: "nowhere" },
			cell: ({ totals, currency }) => amount(totals.tax, currency),
		},
		{
			...{ id: "total", title: t("total"), align: "end", onPhone: "beside" },
			cell: ({ totals, currency }) => amount(totals.grand_total, currency),
		},
		{ id: "currency", title: t("currency"), isNarrow: true, onPhone: "nowhere", cell: ({ currency }) => currency },
		{
			...{ id: "status", title: t("status"), isNarrow: true, onPhone: "beside" },
			cell: ({ status, code }) => (
				<span className="invoices-status">
					<InvoiceStatusMark status={status as InvoiceStatus} />
					{status === "rejected" && code !== null ? <span className="soft number">{code}</span> : null}
				</span>
			),
		},
	];
	return all.filter(({ id }) => id === "number" || shown.includes(id));
}

const read = (text: string | null | undefined): readonly Optional[] | undefined =>
	text == null ? undefined : OPTIONAL.filter((id) => text.split(",").includes(id));

/** A view may bring columns of its own, in the address; else they are those that the person chose last in this browser. */
export function useColumnChoice() {
	const [params, setParams] = useSearchParams();
	const [own, setOwn] = useState(() => read(readStored(STORED)) ?? USUAL);
	const shown = read(params.get("columns")) ?? own;
	const toggle = (id: Optional) => {
		const next = OPTIONAL.filter((one) => (one === id) !== shown.includes(one));
		store(STORED, next.join());
		setOwn(next);
		setParams(
			(now) => {
				const rest = new URLSearchParams(now);
				rest.delete("columns");
				return rest;
			},
			{ replace: true },
		);
	};
	/** What a view keeps of them. */
	const kept = shown.join() === USUAL.join() ? undefined : shown.join();
	return { shown, toggle, kept };
}

export function ColumnMenu({ shown, toggle }: Pick<ReturnType<typeof useColumnChoice>, "shown" | "toggle">) {
	const t = useWords(words);
	const items = OPTIONAL.map((id) => {
		return { label: t(id), isTicked: shown.includes(id), onSelect: () => toggle(id) };
	});
	const trigger = (
		<Button isIcon icon={<Columns3 aria-hidden />}>
			{t("columns")}
		</Button>
	);
	// A phone has room for the usual ones only.
	return (
		<span className="invoices-wide">
			<Menu trigger={trigger} groups={[{ label: t("columns"), items }]} align="end" />
		</span>
	);
}
