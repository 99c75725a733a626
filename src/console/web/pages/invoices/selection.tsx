/** What can be done with the chosen invoices. */
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { Download, Mail, RotateCw, X } from "lucide-react";
import { useState } from "react";
import { call } from "../../api/call";
import type { InvoiceListItem } from "../../api/generated";
import { callKey } from "../../api/use-call";
import { useFormat } from "../../app/format";
import { useWords } from "../../app/language";
import { useHere } from "../../app/session";
import { Button } from "../../kit/button";
import { notify } from "../../kit/toast";
import { saveCsv } from "./export-csv";
import { MailDialog } from "./mail-dialog";
import { words } from "./words";

type SelectionBarProps = {
	readonly items: readonly InvoiceListItem[];
	/** Nothing is changed then. */
	readonly isOffline: boolean;
	readonly onDone: () => void;
};

export function SelectionBar({ items, isOffline, onDone }: SelectionBarProps) {
	const t = useWords(words);
	const { count } = useFormat();
	const { may } = useHere();
	const client = useQueryClient();
	const [isMailing, setMailing] = useState(false);
	const retryable = items.filter(({ status, failure }) => status === "failed" && failure?.retryable !== false);
	const retry = useMutation({
		mutationFn: () =>
			Promise.allSettled(
				retryable.map(({ docId }) => call("retryInvoice", { path: { docId }, idempotencyKey: crypto.randomUUID() })),
			),
		onSuccess: (answers) => {
			const failed = answers.filter(({ status }) => status === "rejected").length;
			if (failed > 0) notify(t("retryFailed", { count: count(failed) }), { type: "bad" });
			else notify(t("retried", { count: count(answers.length) }));
			onDone();
			return client.invalidateQueries({ queryKey: callKey("listInvoices") });
		},
	});
	const mayWrite = may("invoices:write") && !isOffline;
	return (
		<section className="selection" aria-label={t("chosen", { count: count(items.length) })}>
			<strong className="number" role="status">
				{t("chosen", { count: count(items.length) })}
			</strong>
			<Button icon={<Download aria-hidden />} onClick={() => saveCsv(items, t)}>
				{t("csvChosen")}
			</Button>
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
			<Button kind="quiet" isIcon icon={<X aria-hidden />} onClick={onDone}>
				{t("unselect")}
			</Button>
			{isMailing ? <MailDialog docIds={items.map(({ docId }) => docId)} onClose={() => setMailing(false)} /> : null}
		</section>
	);
}
