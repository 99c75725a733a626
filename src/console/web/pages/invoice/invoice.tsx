/** One invoice: its standing, what can be done with it, and its parts in tabs. */
import { useQueryClient } from "@tanstack/react-query";
import { ChevronLeft, Copy, Ellipsis, FileMinus, FilePlus, Mail, RotateCw, Wrench } from "lucide-react";
import { useEffect, useEffectEvent, useRef, useState } from "react";
import { Link, useLocation, useParams, useSearchParams } from "wouter";
import type { OperationId } from "../../api/call";
import type { Invoice, InvoiceStatus as Standing } from "../../api/generated";
import { useLive } from "../../api/live";
import { callKey, useCall, useSend } from "../../api/use-call";
import { useFormat } from "../../app/format";
import { useWords } from "../../app/language";
import { useHere } from "../../app/session";
import { Button, LinkButton } from "../../kit/button";
import { Menu, type MenuItem } from "../../kit/menu";
import { PageTitle } from "../../kit/page-title";
import { Block, Missing } from "../../kit/states";
import { type InvoiceStatus, InvoiceStatusMark } from "../../kit/status";
import { Tabs } from "../../kit/tabs";
import { notify } from "../../kit/toast";
import type { TYPES } from "../invoices/filter";
import { MailDialog } from "../invoices/mail-dialog";
import { words as listWords } from "../invoices/words";
import { DataTab } from "./data";
import { DeliveriesTab } from "./deliveries";
import { DocumentTab, XmlTab } from "./files";
import { NotesTab } from "./notes";
import { ProofTab } from "./proof";
import { Timeline } from "./timeline";
import { Verdict } from "./verdict";
import { words } from "./words";

/** Answers that an event of the invoice may have changed. */
const RENEWED: readonly OperationId[] = [
	...(["getInvoice", "getInvoiceStatus", "listInvoiceEvents", "getInvoiceDelivery"] as const),
	...(["getInvoiceProof", "listEmails", "listDeliveries", "listInvoices"] as const),
];
const GATHER_MS = 200;
/** While the authority decides: after two seconds, then after twice as long each time. */
const ASK_AGAIN_MS = 2_000;
const ASK_AGAIN_MAX_MS = 60_000;

export default function InvoicePage() {
	const t = useWords(words);
	const { docId = "" } = useParams();
	const invoice = useCall("getInvoice", { path: { docId } });
	const standing = useCall("getInvoiceStatus", { path: { docId } });
	useRenewal(docId, standing.data?.status === "pending");
	const both = invoice.data && standing.data ? { invoice: invoice.data, standing: standing.data } : undefined;
	return (
		<>
			<Link href="/invoices" className="invoice-back">
				<ChevronLeft className="icon" aria-hidden />
				{t("back")}
			</Link>
			{both ? null : <PageTitle className="visually-hidden">{t("back")}</PageTitle>}
			<Block
				asked={{
					data: both,
					error: invoice.error ?? standing.error,
					dataUpdatedAt: Math.min(invoice.dataUpdatedAt, standing.dataUpdatedAt),
					refetch: () => Promise.all([invoice.refetch(), standing.refetch()]),
				}}
				lines={10}
				missing={<Missing title={t("missing")} href="/invoices" />}
			>
				{(found) => <Content {...found} />}
			</Block>
		</>
	);
}

/** By the company's events; and by asking, because the first event may come before this page listens. */
function useRenewal(docId: string, isPending: boolean): void {
	const client = useQueryClient();
	const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
	const renew = useEffectEvent(() => {
		for (const operation of RENEWED) void client.invalidateQueries({ queryKey: callKey(operation) });
	});
	useEffect(() => () => clearTimeout(timer.current), []);
	useLive((event) => {
		if (event.docId !== docId) return;
		clearTimeout(timer.current);
		timer.current = setTimeout(renew, GATHER_MS);
	});
	useEffect(() => {
		if (!isPending) return undefined;
		let pauseMs = ASK_AGAIN_MS;
		let next: ReturnType<typeof setTimeout>;
		const ask = () => {
			renew();
			pauseMs = Math.min(2 * pauseMs, ASK_AGAIN_MAX_MS);
			next = setTimeout(ask, pauseMs);
		};
		next = setTimeout(ask, pauseMs);
		return () => clearTimeout(next);
	}, [isPending]);
}

type Found = { readonly invoice: Invoice; readonly standing: Standing };

function Content({ invoice, standing }: Found) {
	const t = useWords(words);
	const [params, setParams] = useSearchParams();
	const tabs = [
		{ value: "timeline", content: () => <Timeline invoice={invoice} /> },
		{ value: "document", content: () => <DocumentTab invoice={invoice} /> },
		{ value: "data", content: () => <DataTab invoice={invoice} /> },
		{ value: "xml", content: () => <XmlTab invoice={invoice} /> },
		{ value: "notes", content: () => <NotesTab invoice={invoice} /> },
		{ value: "deliveries", content: () => <DeliveriesTab invoice={invoice} /> },
		{ value: "proof", content: () => <ProofTab invoice={invoice} /> },
	] as const;
	const chosen = tabs.find(({ value }) => value === params.get("tab"))?.value ?? "timeline";
	return (
		<>
			<Head invoice={invoice} standing={standing} />
			<Verdict invoice={invoice} standing={standing} />
			<section className="card invoice-parts" aria-label={t("tabs")}>
				<Tabs
					label={t("tabs")}
					value={chosen}
					onChange={(tab) => setParams(tab === "timeline" ? {} : { tab }, { replace: true })}
					tabs={tabs.map(({ value, content }) => ({ value, title: t(value), content }))}
				/>
			</section>
		</>
	);
}

function Head({ invoice, standing }: Found) {
	const t = useWords(words);
	const types = useWords(listWords);
	const { amount, day } = useFormat();
	const { encf, type, request, issueDate } = invoice;
	const { customer, totals, currency } = request;
	const facts = [
		{ id: "buyer", value: customer?.name ?? types("noBuyer"), under: customer?.rnc ?? customer?.foreign_id },
		{ id: "issued", value: day(issueDate), under: types(`type${type as (typeof TYPES)[number]}`) },
		{ id: "total", value: amount(totals.grand_total, currency), under: `${t("tax")} ${amount(totals.tax, currency)}` },
	] as const;
	return (
		<header className="invoice-head">
			<div className="page-head">
				<div className="invoice-title">
					<PageTitle className="number">{encf}</PageTitle>
					<InvoiceStatusMark status={standing.status as InvoiceStatus} />
				</div>
				<Actions invoice={invoice} standing={standing} />
			</div>
			<dl className="invoice-facts">
				{facts.map(({ id, value, under }) => (
					<div key={id}>
						<dt>{t(id)}</dt>
						<dd className="number">{value}</dd>
						<dd className="soft number">{under}</dd>
					</div>
				))}
			</dl>
		</header>
	);
}

function Actions({ invoice, standing }: Found) {
	const t = useWords(words);
	const { may } = useHere();
	const [, navigate] = useLocation();
	const [isMailing, setMailing] = useState(false);
	const retry = useSend("retryInvoice", RENEWED);
	const { docId, type, request, replacedBy } = invoice;
	if (!may("invoices:write")) return null;
	const isRefused = standing.status === "rejected" || standing.status === "failed";
	const isRetryable = standing.status === "failed" && standing.failure?.retryable === true;
	const isNote = type === "33" || type === "34";
	const draft = (as: string) => ({ onSelect: () => navigate(`/issue?from=${docId}&as=${as}`) });
	const mail = { label: t("mail"), icon: Mail, onSelect: () => setMailing(true) };
	const mayHaveNotes = !isRefused && !isNote;
	const items: MenuItem[] = [
		...(mayHaveNotes ? [{ label: t("debit"), icon: FilePlus, ...draft("debit") }] : []),
		{ label: t("copy"), icon: Copy, ...draft("copy") },
		...(isRefused ? [mail] : []),
	];
	const again = () =>
		retry.mutate(
			{ path: { docId }, idempotencyKey: crypto.randomUUID() },
			{
				onSuccess: () => notify(t("retried")),
				onError: ({ problem }) => notify(t("retryFailed"), { type: "bad", description: problem?.title ?? "" }),
			},
		);
	const trigger = (
		<Button isIcon icon={<Ellipsis aria-hidden />}>
			{t("actions")}
		</Button>
	);
	const to = [request.customer?.email, ...(request.emails ?? [])].filter((one) => one !== undefined);
	return (
		<div className="toolbar">
			{isRefused ? null : (
				<Button icon={<Mail aria-hidden />} onClick={mail.onSelect}>
					{mail.label}
				</Button>
			)}
			{mayHaveNotes ? (
				<LinkButton icon={<FileMinus aria-hidden />} href={`/issue?from=${docId}&as=credit`}>
					{t("credit")}
				</LinkButton>
			) : null}
			{isRetryable ? (
				<Button kind="primary" icon={<RotateCw aria-hidden />} isBusy={retry.isPending} onClick={again}>
					{t("retry")}
				</Button>
			) : null}
			{isRefused && !isRetryable && replacedBy === null ? (
				<LinkButton kind="primary" icon={<Wrench aria-hidden />} href={`/issue?from=${docId}&as=reissue`}>
					{t("reissue")}
				</LinkButton>
			) : null}
			<Menu trigger={trigger} groups={[{ items }]} align="end" />
			{isMailing ? (
				<MailDialog items={[invoice]} to={[...new Set(to)].join(", ")} onClose={() => setMailing(false)} />
			) : null}
		</div>
	);
}
