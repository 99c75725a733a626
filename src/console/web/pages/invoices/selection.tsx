/** What can be done with the chosen invoices. */
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { Mail, RotateCw } from "lucide-react";
import { useState } from "react";
import { call } from "../../api/call";
import type { InvoiceListItem } from "../../api/generated";
import { callKey } from "../../api/use-call";
import { useFormat } from "../../app/format";
import { useWords } from "../../app/language";
import { useHere } from "../../app/session";
import { Button } from "../../kit/button";
import { SelectionBar } from "../../kit/table";
import { notify } from "../../kit/toast";
import { ExportMenu } from "./export-menu";
import type { Filter } from "./filter";
import { MailDialog } from "./mail-dialog";
import { type Outcome, OutcomesDialog, tryEach } from "./outcomes";
import { words } from "./words";

type ActionsProps = {
	readonly items: readonly InvoiceListItem[];
	/** Present when these are a whole page, and the filter has more. */
	readonly filter?: Filter;
	/** Those that are left stay chosen. */
	readonly onDone: (left?: readonly string[]) => void;
};

export function ChosenInvoices({ items, filter, onDone }: ActionsProps) {
	const t = useWords(words);
	const { count } = useFormat();
	const { may } = useHere();
	const client = useQueryClient();
	const [isMailing, setMailing] = useState(false);
	const [outcomes, setOutcomes] = useState<readonly Outcome<InvoiceListItem>[]>();
	const retryable = items.filter(({ status, failure }) => status === "failed" && failure?.retryable !== false);
	const retry = useMutation({
		mutationFn: () =>
			tryEach(retryable, ({ docId }) => call("retryInvoice", { path: { docId }, idempotencyKey: crypto.randomUUID() })),
		onSuccess: (all) => {
			if (all.every(({ refusal }) => refusal === undefined)) {
				notify(t("retried", { count: count(all.length) }));
				onDone();
			} else setOutcomes(all);
			return client.invalidateQueries({ queryKey: callKey("listInvoices") });
		},
	});
	const mayWrite = may("invoices:write");
	return (
		<SelectionBar count={items.length} onClear={() => onDone()}>
			{filter ? (
				<div className="selection-more">
					<span role="status">{t("onlyPage")}</span>
					<ExportMenu of={{ filter }} title={t("exportAll")} side="top" />
				</div>
			) : null}
			<ExportMenu of={{ items }} side="top" />
			{mayWrite ? (
				<Button icon={<Mail aria-hidden />} onClick={() => setMailing(true)}>
					{t("mail")}
				</Button>
			) : null}
			{mayWrite && retryable.length > 0 ? (
				<Button icon={<RotateCw aria-hidden />} isBusy={retry.isPending} onClick={() => retry.mutate()}>
					{t("retry")}
				</Button>
			) : null}
			{isMailing ? <MailDialog items={items} onClose={() => setMailing(false)} /> : null}
			{outcomes ? (
				<OutcomesDialog
					title={t("retry")}
					done={t("sentAgain")}
					outcomes={outcomes}
					idOf={({ item }) => item.docId}
					nameOf={({ item }) => <span className="number">{item.encf}</span>}
					onClose={() => onDone(outcomes.flatMap(({ item, refusal }) => (refusal ? [item.docId] : [])))}
				/>
			) : null}
		</SelectionBar>
	);
}
