/** The notes on an invoice; of a note, the document that it modifies. */
import { FileMinus, FilePlus, FileStack } from "lucide-react";
import { Link } from "wouter";
import type { Invoice } from "../../api/generated";
import { useCall } from "../../api/use-call";
import { useWords } from "../../app/language";
import { useHere } from "../../app/session";
import { LinkButton } from "../../kit/button";
import { Block, Empty } from "../../kit/states";
import { Table } from "../../kit/table";
import { useInvoiceColumns } from "../invoices/columns";
import { words } from "./words";

export function NotesTab({ invoice }: { readonly invoice: Invoice }) {
	const t = useWords(words);
	const { may } = useHere();
	const { docId, encf, type, status, request } = invoice;
	const asked = useCall("listInvoices", { query: { modifies: encf, limit: 100 } });
	const columns = useInvoiceColumns();
	const isNote = type === "33" || type === "34";
	const takesNotes = !isNote && (status === "accepted" || status === "pending");
	const actions =
		takesNotes && may("invoices:write") ? (
			<>
				<LinkButton icon={<FileMinus aria-hidden />} href={`/issue?from=${docId}&as=credit`}>
					{t("credit")}
				</LinkButton>
				<LinkButton icon={<FilePlus aria-hidden />} href={`/issue?from=${docId}&as=debit`}>
					{t("debit")}
				</LinkButton>
			</>
		) : null;
	const empty = (
		<Empty title={t("noNotes")} icon={FileStack} actions={actions}>
			{t(isNote ? "noNotesOfNote" : "noNotesText")}
		</Empty>
	);
	return (
		<>
			{request.reference ? <Original encf={request.reference.encf} /> : null}
			<Block asked={asked} isEmpty={({ items }) => items.length === 0} empty={empty}>
				{({ items }) => (
					<>
						<Table caption={t("notesOf")} columns={columns} rows={items} rowId={(one) => one.docId} />
						<div className="toolbar invoice-tools">{actions}</div>
					</>
				)}
			</Block>
		</>
	);
}

/** A link to it, if it is one of the company's documents here. */
function Original({ encf }: { readonly encf: string }) {
	const t = useWords(words);
	const { data } = useCall("listInvoices", { query: { encf } }, { enabled: /^E\d{10,12}$/.test(encf) });
	const [found] = data?.items ?? [];
	return (
		<p className="invoice-note number">
			{t("original")} {found ? <Link href={`/invoices/${found.docId}`}>{encf}</Link> : encf}
		</p>
	);
}
