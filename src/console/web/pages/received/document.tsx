/** One received document: what it says, how it stands, its files, and the company's word on it, which is final. */
import { useQuery } from "@tanstack/react-query";
import { Check, ChevronLeft, Download, ExternalLink, RotateCw, X } from "lucide-react";
import { type FormEvent, useState } from "react";
import { Link, useParams } from "wouter";
import { type CallError, call } from "../../api/call";
import type { ReceivedDocument } from "../../api/generated";
import { callKey, useSend } from "../../api/use-call";
import { useFormat } from "../../app/format";
import { useWords } from "../../app/language";
import { useHere } from "../../app/session";
import { Button } from "../../kit/button";
import { Dialog } from "../../kit/dialog";
import { Field, TextArea } from "../../kit/field";
import { PageTitle } from "../../kit/page-title";
import { Block, Callout, Missing, Refusal } from "../../kit/states";
import { notify } from "../../kit/toast";
import { useBlobUrl } from "../invoice/files";
import { saveFile } from "../invoices/export";
import { AuthorityMark, DecisionMark } from "./marks";
import { words } from "./words";

type Decision = "approved" | "rejected";

const REASON_MAX = 250;
const POLL_MS = 2_000;

export default function DocumentPage() {
	const t = useWords(words);
	const { id = "" } = useParams<{ id: string }>();
	const input = { path: { id } };
	const asked = useQuery<ReceivedDocument, CallError>({
		queryKey: callKey("getReceivedDocument", input),
		queryFn: ({ signal }) => call("getReceivedDocument", input, { signal }),
		refetchInterval: ({ state }) => (state.data?.approval?.status === "sending" ? POLL_MS : false),
	});
	return (
		<>
			<Link href="/received" className="invoice-back">
				<ChevronLeft className="icon" aria-hidden />
				{t("title")}
			</Link>
			{asked.data ? <Head document={asked.data} /> : <PageTitle className="visually-hidden">{t("title")}</PageTitle>}
			<section className="card card-body" aria-label={t("data")}>
				<Block asked={asked} lines={8} missing={<Missing title={t("missing")} href="/received" />}>
					{(document) => <Data document={document} />}
				</Block>
			</section>
			{asked.data ? <Files document={asked.data} /> : null}
		</>
	);
}

function Head({ document }: { readonly document: ReceivedDocument }) {
	const t = useWords(words);
	const { may } = useHere();
	const [deciding, setDeciding] = useState<Decision>();
	const mayDecide = may("approvals:write") && document.approval === null;
	return (
		<div className="page-head">
			<div className="invoice-title">
				<PageTitle className="number">{document.encf}</PageTitle>
				<DecisionMark decision={document.approval?.decision} />
			</div>
			{mayDecide ? (
				<div className="toolbar">
					<Button kind="danger" icon={<X aria-hidden />} onClick={() => setDeciding("rejected")}>
						{t("reject")}
					</Button>
					<Button kind="primary" icon={<Check aria-hidden />} onClick={() => setDeciding("approved")}>
						{t("approve")}
					</Button>
				</div>
			) : null}
			{deciding ? (
				<DecisionDialog document={document} decision={deciding} onClose={() => setDeciding(undefined)} />
			) : null}
		</div>
	);
}

type DecisionProps = {
	readonly document: ReceivedDocument;
	readonly decision: Decision;
	readonly onClose: () => void;
};

function DecisionDialog({ document: { id, encf, issuer }, decision, onClose }: DecisionProps) {
	const t = useWords(words);
	const [key] = useState(() => crypto.randomUUID());
	const decide = useSend("decideApproval", ["getReceivedDocument", "listReceivedDocuments"]);
	const isRejection = decision === "rejected";
	const submit = (event: FormEvent<HTMLFormElement>) => {
		event.preventDefault();
		const reason = new FormData(event.currentTarget).get("reason");
		decide.mutate(
			{
				path: { id },
				body: { decision, ...(isRejection ? { reason: String(reason) } : {}) },
				// Another reason is another request.
				idempotencyKey: isRejection ? crypto.randomUUID() : key,
			},
			{
				onSuccess: () => {
					notify(t(isRejection ? "rejectDone" : "approveDone"));
					onClose();
				},
			},
		);
	};
	const actions = (
		<>
			<Button onClick={onClose}>{t("cancel")}</Button>
			<Button
				kind={isRejection ? "danger" : "primary"}
				type="submit"
				form="received-decision"
				isBusy={decide.isPending}
			>
				{t(isRejection ? "reject" : "approve")}
			</Button>
		</>
	);
	return (
		<Dialog
			title={t(isRejection ? "rejectTitle" : "approveTitle", { encf })}
			isOpen
			onClose={onClose}
			actions={actions}
		>
			<form id="received-decision" className="stack" onSubmit={submit}>
				<p>{t("final", { name: issuer.name })}</p>
				{isRejection ? (
					<Field label={t("reason")} hint={t("reasonHint")}>
						<TextArea name="reason" rows={3} maxLength={REASON_MAX} required />
					</Field>
				) : null}
				<Refusal error={decide.error} />
			</form>
		</Dialog>
	);
}

function Data({ document }: { readonly document: ReceivedDocument }) {
	const t = useWords(words);
	const { amount, day, moment } = useFormat();
	const { may } = useHere();
	const retry = useSend("retryApproval", ["getReceivedDocument"]);
	const { issuer, totals, authorityStatus, proof, approval, signature } = document;
	return (
		<div className="stack">
			<Refusal error={retry.error} />
			{proof === "contested" || proof === "superseded" ? <Callout tone="warn">{t(proof)}</Callout> : null}
			<dl className="pairs">
				<dt>{t("issuer")}</dt>
				<dd>
					{issuer.name} <span className="soft number">{issuer.rnc}</span>
				</dd>
				<dt>{t("issueDate")}</dt>
				<dd>{day(document.issueDate)}</dd>
				{(["subtotal", "tax"] as const).map((sum) => [
					<dt key={`${sum}-title`}>{t(sum)}</dt>,
					<dd key={sum} className="number">
						{amount(totals[sum])}
					</dd>,
				])}
				<dt>{t("total")}</dt>
				<dd className="number">
					<strong>{amount(totals.grand_total)}</strong>
				</dd>
				<dt>{t("authority")}</dt>
				<dd>
					<AuthorityMark status={authorityStatus} />
				</dd>
				{approval ? (
					<>
						<dt>{t("sending")}</dt>
						<dd className="toolbar">
							{t(`sent_${approval.status as "sent"}`)}
							{may("approvals:write") && (approval.status === "failed" || approval.status === "partly-sent") ? (
								<Button
									icon={<RotateCw aria-hidden />}
									isBusy={retry.isPending}
									onClick={() =>
										retry.mutate({ path: { id: approval.approvalId }, idempotencyKey: crypto.randomUUID() })
									}
								>
									{t("retry")}
								</Button>
							) : null}
						</dd>
					</>
				) : null}
				<dt>{t("signer")}</dt>
				<dd className="number">{signature.signer}</dd>
				<dt>{t("receivedAt")}</dt>
				<dd>{moment(document.receivedAt)}</dd>
			</dl>
		</div>
	);
}

function Files({ document: { id, encf } }: { readonly document: ReceivedDocument }) {
	const t = useWords(words);
	const input = { path: { id } };
	const asked = useQuery<Blob, CallError>({
		queryKey: callKey("getReceivedDocumentPdf", input),
		queryFn: ({ signal }) => call("getReceivedDocumentPdf", input, { signal }),
	});
	const url = useBlobUrl(asked.data);
	const canShow = navigator.pdfViewerEnabled && matchMedia("(min-width: 641px)").matches;
	const saveXml = async () => {
		try {
			saveFile(await call("getReceivedDocumentXml", input), `${encf}.xml`);
		} catch (error) {
			notify(t("downloadFailed"), { type: "bad", description: (error as CallError).problem?.title ?? "" });
		}
	};
	return (
		<section className="card" aria-labelledby="files">
			<div className="card-head">
				<h2 id="files">{t("files")}</h2>
				<div className="toolbar">
					<Button icon={<Download aria-hidden />} onClick={() => void saveXml()}>
						{t("xml")}
					</Button>
					{url === undefined ? null : (
						<a className="button button-plain" href={url} target="_blank" rel="noreferrer">
							<ExternalLink aria-hidden />
							{t("openPdf")}
						</a>
					)}
				</div>
			</div>
			<Block asked={asked} lines={8}>
				{() =>
					canShow && url !== undefined ? (
						<iframe className="invoice-pdf" src={`${url}#navpanes=0`} title={t("preview", { encf })} />
					) : null
				}
			</Block>
		</section>
	);
}
