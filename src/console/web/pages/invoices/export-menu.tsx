/** What invoices can be saved as: those of a filter, or chosen ones. */
import { Download, FileCode, FileSpreadsheet, FileText } from "lucide-react";
import { useState } from "react";
import type { CallError } from "../../api/call";
import type { InvoiceListItem } from "../../api/generated";
import { useFormat } from "../../app/format";
import { useWords } from "../../app/language";
import { useHere } from "../../app/session";
import { Button } from "../../kit/button";
import { Menu, type MenuItem } from "../../kit/menu";
import { notify } from "../../kit/toast";
import { collectInvoices, packInvoices, saveCsv } from "./export";
import type { Filter } from "./filter";
import { words } from "./words";

type ExportMenuProps = {
	readonly of: { readonly items: readonly InvoiceListItem[] } | { readonly filter: Filter };
	readonly title?: string;
	readonly isDisabled?: boolean;
	readonly side?: "top" | "bottom";
};

export function ExportMenu({ of, title, isDisabled = false, side = "bottom" }: ExportMenuProps) {
	const t = useWords(words);
	const { count } = useFormat();
	const { may } = useHere();
	const [isBusy, setBusy] = useState(false);
	const run = async (act: () => Promise<void>) => {
		setBusy(true);
		try {
			await act();
		} catch (error) {
			const { title = "", detail = "" } = (error as CallError).problem ?? {};
			notify(t("exportFailed"), { type: "bad", description: detail || title });
		}
		setBusy(false);
	};
	const table = async () => {
		const { items, isCut } = "items" in of ? { items: of.items, isCut: false } : await collectInvoices(of.filter);
		saveCsv(items, t);
		const description = isCut ? t("csvCut", { count: count(items.length) }) : "";
		notify(t("exported", { count: count(items.length) }), { description });
	};
	const pack = async (format: "xml" | "pdf") => {
		const order = "items" in of ? { docIds: of.items.map(({ docId }) => docId) } : { filter: of.filter };
		const { status, documents, damagedCount, failure } = await packInvoices(order, format);
		if (status === "failed") notify(t("exportFailed"), { type: "bad", description: failure?.detail ?? "" });
		else if (status !== "ready") notify(t("exportLater"));
		else if (damagedCount > 0) notify(t("exportCut", { count: count(damagedCount) }), { type: "bad" });
		else notify(t("exported", { count: count(documents) }));
	};
	const items: MenuItem[] = [
		{ label: t("csv"), icon: FileSpreadsheet, onSelect: () => void run(table) },
		...(may("archive:read")
			? [
					{ label: t("xml"), icon: FileCode, onSelect: () => void run(() => pack("xml")) },
					{ label: t("pdf"), icon: FileText, onSelect: () => void run(() => pack("pdf")) },
				]
			: []),
	];
	const trigger = (
		<Button icon={<Download aria-hidden />} isBusy={isBusy} disabled={isDisabled}>
			{title ?? t("export")}
		</Button>
	);
	return <Menu trigger={trigger} groups={[{ items }]} align="end" side={side} />;
}
