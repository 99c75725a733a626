/** Several prepared invoices are approved together: what they add up to, and what became of each. */
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { Check, RotateCw } from "lucide-react";
import { useState } from "react";
import { Link } from "wouter";
import { Decimal } from "../../../../platform/values";
import { type Answer, type CallError, call } from "../../api/call";
import type { PreparedInvoiceItem } from "../../api/generated";
import { callKey } from "../../api/use-call";
import { useFormat } from "../../app/format";
import { useWords } from "../../app/language";
import { Button } from "../../kit/button";
import { Dialog } from "../../kit/dialog";
import { Table } from "../../kit/table";
import type { TYPES } from "../invoices/filter";
import { type Outcome, OutcomesDialog, tryEach } from "../invoices/outcomes";
import { words as listWords } from "../invoices/words";
import { words } from "./words";

type ApprovalProps = {
	readonly items: readonly PreparedInvoiceItem[];
	readonly nameOf: (item: PreparedInvoiceItem) => string;
	readonly onClose: () => void;
};

type Approval = Outcome<PreparedInvoiceItem, Answer<"approvePreparedInvoice">>;

const RENEWED = ["getPreparedInvoice", "listPreparedInvoices", "listInvoices", "getOverview"] as const;

export function ApprovalDialog({ items, nameOf, onClose }: ApprovalProps) {
	const t = useWords(words);
	const { count } = useFormat();
	const client = useQueryClient();
	const [tried, setTried] = useState(0);
	const [outcomes, setOutcomes] = useState<ReadonlyMap<string, Approval>>(new Map());
	const approve = useMutation({
		mutationFn: (chosen: readonly PreparedInvoiceItem[]) =>
			tryEach(chosen, ({ id, sha256 }) =>
				call("approvePreparedInvoice", { path: { id }, body: { sha256 } }).finally(() =>
					setTried((before) => before + 1),
				),
			),
		onSuccess: (all) => {
			setOutcomes((former) => new Map([...former, ...all.map((one) => [one.item.id, one] as const)]));
			for (const id of RENEWED) void client.invalidateQueries({ queryKey: callKey(id) });
		},
	});
	const title = t("approveTitle", { count: count(items.length) });
	if (outcomes.size > 0) {
		// Of a hundred, the refused ones are what a person looks for.
		const all = [...outcomes.values()].toSorted((a, b) => Number(isDone(a)) - Number(isDone(b)));
		const left = all.flatMap(({ item, refusal }) => (refusal && isPassing(refusal) ? [item] : []));
		return (
			<OutcomesDialog
				title={title}
				done={t("issued")}
				outcomes={all}
				idOf={({ item }) => item.id}
				nameOf={({ item, answer }) => (
					<>
						{answer ? (
							<Link href={`/invoices/${answer.docId}`} className="number">
								{answer.encf}
							</Link>
						) : null}
						<span className={answer ? "invoices-under" : ""}>{nameOf(item)}</span>
					</>
				)}
				actions={
					left.length > 0 ? (
						<Button icon={<RotateCw aria-hidden />} isBusy={approve.isPending} onClick={() => approve.mutate(left)}>
							{t("again")}
						</Button>
					) : null
				}
				onClose={onClose}
			/>
		);
	}
	const close = () => (approve.isPending ? undefined : onClose());
	const actions = (
		<>
			{approve.isPending ? null : <Button onClick={close}>{t("cancel")}</Button>}
			<Button
				kind="primary"
				icon={<Check aria-hidden />}
				isBusy={approve.isPending}
				onClick={() => approve.mutate(items.toReversed())}
			>
				{approve.isPending ? t("progress", { tried: count(tried), all: count(items.length) }) : t("approve")}
			</Button>
		</>
	);
	return (
		<Dialog title={title} isOpen onClose={close} actions={actions}>
			<div className="stack">
				<p>{t("approveText")}</p>
				<Sums items={items} />
			</div>
		</Dialog>
	);
}

function isDone({ refusal }: Approval): boolean {
	return refusal === undefined;
}

/** Whether a repeat may succeed. The service issues nothing twice: an invoice that was issued gets its first answer again. */
function isPassing({ slug, problem }: CallError): boolean {
	return slug === "idempotency-in-progress" || (problem?.status ?? 503) >= 429;
}

/** Credit notes and purchases do not add up with sales, nor do currencies. */
function Sums({ items }: { readonly items: readonly PreparedInvoiceItem[] }) {
	const t = useWords(words);
	const ofList = useWords(listWords);
	const { amount, count } = useFormat();
	const groups = [...Map.groupBy(items, ({ summary: { type, currency } }) => `${type} ${currency}`)];
	return (
		<Table
			caption={t("total")}
			rows={groups}
			rowId={([key]) => key}
			columns={[
				{
					...{ id: "type", title: t("type") },
					cell: ([key]) => ofList(`type${key.slice(0, 2) as (typeof TYPES)[number]}`),
				},
				{ ...{ id: "count", title: t("count"), align: "end" }, cell: ([, all]) => count(all.length) },
				{
					...{ id: "total", title: t("total"), align: "end" },
					cell: ([key, all]) => {
						const sum = Decimal.sum(all.map(({ summary }) => Decimal.of(summary.totals.grand_total)));
						return amount(sum.toFixed(2), key.slice(3));
					},
				},
			]}
		/>
	);
}
