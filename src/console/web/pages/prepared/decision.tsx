/** One prepared invoice: what it says, what the service says of it now, and the person's decision. */
import { Check, ChevronLeft, FileText, Trash2 } from "lucide-react";
import { type FormEvent, useId, useState } from "react";
import { Link, useLocation, useParams } from "wouter";
import type { DryRun, PreparedInvoice } from "../../api/generated";
import { useCall, useSend } from "../../api/use-call";
import { useFormat } from "../../app/format";
import { useLanguage, useWords } from "../../app/language";
import { useHere } from "../../app/session";
import { Button, LinkButton } from "../../kit/button";
import { Dialog } from "../../kit/dialog";
import { Field, TextInput } from "../../kit/field";
import { PageTitle } from "../../kit/page-title";
import { Block, Callout, ErrorBlock, Missing, Refusal } from "../../kit/states";
import { Table } from "../../kit/table";
import { notify } from "../../kit/toast";
import { RequestData } from "../invoice/data";
import type { TYPES } from "../invoices/filter";
import { words as listWords } from "../invoices/words";
import { foresee, listFindings, useCheck } from "../issue/check";
import { Findings, OutlookMark } from "../issue/verdict";
import { StateMark } from "./prepared";
import { words } from "./words";

const RENEWED = ["getPreparedInvoice", "listPreparedInvoices", "getOverview"] as const;

export default function DecisionPage() {
	const t = useWords(words);
	const { id = "" } = useParams<{ id: string }>();
	const asked = useCall("getPreparedInvoice", { path: { id } });
	return (
		<>
			<Link href="/prepared" className="invoice-back">
				<ChevronLeft className="icon" aria-hidden />
				{t("title")}
			</Link>
			{asked.data ? null : <PageTitle className="visually-hidden">{t("title")}</PageTitle>}
			<Block asked={asked} lines={8} missing={<Missing title={t("missing")} href="/prepared" />}>
				{(prepared) => <Prepared prepared={prepared} />}
			</Block>
		</>
	);
}

function Prepared({ prepared }: { readonly prepared: PreparedInvoice }) {
	const t = useWords(words);
	const ofList = useWords(listWords);
	const { amount, moment } = useFormat();
	const { summary, status, createdAt } = prepared;
	const { type, customer, totals, currency } = summary;
	return (
		<>
			<Head prepared={prepared}>{ofList(`type${type as (typeof TYPES)[number]}`)}</Head>
			<dl className="invoice-facts">
				<div>
					<dt>{t("buyer")}</dt>
					<dd>{customer?.name ?? customer?.rnc ?? t("noBuyer")}</dd>
				</div>
				<div>
					<dt>{t("total")}</dt>
					<dd className="number">{amount(totals.grand_total, currency)}</dd>
				</div>
				<div>
					<dt>{t("preparedAt")}</dt>
					<dd>{moment(createdAt)}</dd>
				</div>
			</dl>
			<Standing prepared={prepared} />
			{status === "waiting" ? <Now prepared={prepared} /> : null}
			<section className="card" aria-label={t("content")}>
				<RequestData request={prepared.invoice} />
			</section>
		</>
	);
}

type HeadProps = { readonly prepared: PreparedInvoice; readonly children: string };

function Head({ prepared: { id, sha256, status }, children }: HeadProps) {
	const t = useWords(words);
	const { may } = useHere();
	const [, go] = useLocation();
	const [isDiscarding, setDiscarding] = useState(false);
	const approve = useSend("approvePreparedInvoice", [...RENEWED, "listInvoices"]);
	const issue = () =>
		approve.mutate(
			{ path: { id }, body: { sha256 } },
			{
				onSuccess: ({ docId, encf }) => {
					notify(t("approved", { encf }));
					go(`/invoices/${docId}`);
				},
			},
		);
	return (
		<>
			<div className="page-head">
				<div className="invoice-title">
					<PageTitle>{children}</PageTitle>
					<StateMark state={status} />
				</div>
				{status === "waiting" ? (
					<div className="toolbar">
						{may("invoices:prepare") ? (
							<Button kind="danger" icon={<Trash2 aria-hidden />} onClick={() => setDiscarding(true)}>
								{t("discard")}
							</Button>
						) : null}
						{may("invoices:write") ? (
							<Button kind="primary" icon={<Check aria-hidden />} isBusy={approve.isPending} onClick={issue}>
								{t("approve")}
							</Button>
						) : null}
					</div>
				) : null}
			</div>
			<Refusal error={approve.error} />
			{isDiscarding ? <DiscardDialog id={id} onClose={() => setDiscarding(false)} /> : null}
		</>
	);
}

function Standing({ prepared }: { readonly prepared: PreparedInvoice }) {
	const t = useWords(words);
	const { may } = useHere();
	const { moment, ago } = useFormat();
	const { status, docId, reason, expiresAt, decidedAt } = prepared;
	const time = moment(decidedAt ?? expiresAt);
	if (status === "waiting") {
		return (
			<Callout>
				{[t("waits", { ago: ago(expiresAt) }), may("invoices:write") ? "" : t("mayNotApprove")].join(" ")}
			</Callout>
		);
	}
	if (status === "expired") return <Callout tone="warn">{t("isExpired", { time: moment(expiresAt) })}</Callout>;
	if (status === "rejected") {
		return <Callout>{reason === null ? t("isRejected", { time }) : t("isRejectedFor", { time, reason })}</Callout>;
	}
	return (
		<Callout>
			<span className="toolbar">
				{t("isIssued", { time })}
				{docId === null ? null : (
					<LinkButton href={`/invoices/${docId}`} icon={<FileText aria-hidden />}>
						{t("showInvoice")}
					</LinkButton>
				)}
			</span>
		</Callout>
	);
}

/** Hours may have passed: the registry, numbers and rules of today decide. */
function Now({ prepared: { invoice, validation } }: { readonly prepared: PreparedInvoice }) {
	const t = useWords(words);
	const language = useLanguage();
	const { may } = useHere();
	const [key] = useState(() => crypto.randomUUID());
	const { check, again } = useCheck(may("invoices:write") ? invoice : undefined, key);
	const outlook = foresee(check);
	if (outlook === "nothing") return null;
	const findings = listFindings(check, language);
	const { report, error } = check;
	const changes = report ? findChanges(validation, report) : [];
	return (
		<section className="card" aria-labelledby="prepared-now">
			<div className="card-head">
				<h2 id="prepared-now">{t("check")}</h2>
				<span className="toolbar" role="status">
					<OutlookMark outlook={outlook} count={findings.filter(({ isFault }) => isFault).length} />
					{outlook === "accepted" && report ? (
						<span className="soft number">{t("wouldBe", { encf: report.encf })}</span>
					) : null}
				</span>
			</div>
			{outlook === "failed" && error ? <ErrorBlock error={error} onRetry={again} /> : null}
			{findings.length > 0 ? (
				<div className="card-body prepared-findings">
					<Findings title={t("findings")} findings={findings} />
				</div>
			) : null}
			{changes.length > 0 ? <Changes changes={changes} /> : null}
		</section>
	);
}

type Change = {
	readonly what: "buyer" | "issuer" | "sequence" | "total";
	readonly was: string | null;
	readonly is: string | null;
};

/** Where the report of now differs from that of the preparation. */
function findChanges(before: PreparedInvoice["validation"], now: DryRun): Change[] {
	const pairs: readonly Change[] = [
		{ what: "buyer", was: before.registry.buyer, is: now.registry.buyer },
		{ what: "issuer", was: before.registry.issuer, is: now.registry.issuer },
		{ what: "sequence", was: before.sequenceExpiresOn, is: now.sequenceExpiresOn },
		{ what: "total", was: before.totals.total, is: now.totals.total },
	];
	return pairs.filter(({ was, is }) => was !== is);
}

function Changes({ changes }: { readonly changes: readonly Change[] }) {
	const t = useWords(words);
	return (
		<>
			<h3 className="prepared-changed">{t("changed")}</h3>
			<Table
				caption={t("changed")}
				rows={changes}
				rowId={({ what }) => what}
				columns={[
					{ id: "what", title: t("what"), cell: ({ what }) => t(`changed_${what}`) },
					{ id: "was", title: t("was"), cell: ({ was }) => was ?? t("none") },
					{ id: "is", title: t("is"), cell: ({ is }) => is ?? t("none") },
				]}
			/>
		</>
	);
}

function DiscardDialog({ id, onClose }: { readonly id: string; readonly onClose: () => void }) {
	const t = useWords(words);
	const form = useId();
	const discard = useSend("rejectPreparedInvoice", RENEWED);
	const submit = (event: FormEvent<HTMLFormElement>) => {
		event.preventDefault();
		const reason = String(new FormData(event.currentTarget).get("reason")).trim();
		const done = () => {
			notify(t("discarded"));
			onClose();
		};
		discard.mutate({ path: { id }, body: reason === "" ? {} : { reason } }, { onSuccess: done });
	};
	const actions = (
		<>
			<Button onClick={onClose}>{t("cancel")}</Button>
			<Button kind="danger" type="submit" form={form} isBusy={discard.isPending}>
				{t("discard")}
			</Button>
		</>
	);
	return (
		<Dialog title={t("discardTitle")} isOpen onClose={onClose} actions={actions}>
			<form id={form} className="stack" onSubmit={submit}>
				<p>{t("discardText")}</p>
				<Refusal error={discard.error} />
				<Field label={t("reason")} hint={t("reasonHint")}>
					<TextInput name="reason" maxLength={200} autoComplete="off" />
				</Field>
			</form>
		</Dialog>
	);
}
