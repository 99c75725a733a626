/** That an invoice is in the archive unchanged, in a form that others can check without the service. */
import { useMutation, useQuery } from "@tanstack/react-query";
import { Download, ShieldCheck } from "lucide-react";
import { call } from "../../api/call";
import type { DocumentProof, Invoice } from "../../api/generated";
import { useCall } from "../../api/use-call";
import { useFormat } from "../../app/format";
import { useWords } from "../../app/language";
import { Button } from "../../kit/button";
import { CodeText } from "../../kit/code";
import { Block, Callout, Empty } from "../../kit/states";
import { notify } from "../../kit/toast";
import { saveFile } from "../invoices/export";
import { checkPath } from "./check-path";
import { words } from "./words";

export function ProofTab({ invoice }: { readonly invoice: Invoice }) {
	const t = useWords(words);
	const asked = useCall("getInvoiceProof", { path: { docId: invoice.docId } }, { enabled: invoice.archive !== null });
	// Between the decision and the archive's next checkpoint there is none.
	const isNone = invoice.archive === null || asked.error?.problem?.status === 404;
	if (isNone)
		return (
			<Empty title={t("noProof")} icon={ShieldCheck}>
				{t("noProofText")}
			</Empty>
		);
	return (
		<Block asked={asked} lines={8}>
			{(proof) => <Proof invoice={invoice} proof={proof} />}
		</Block>
	);
}

function Proof({ invoice, proof }: { readonly invoice: Invoice; readonly proof: DocumentProof }) {
	const t = useWords(words);
	const { count, moment } = useFormat();
	const { docId, encf, archive } = invoice;
	const evidence = useMutation({
		mutationFn: () => call("getInvoiceEvidence", { path: { docId } }),
		onSuccess: (file) => saveFile(file, `${encf}-evidence.zip`),
		onError: () => notify(t("fileFailed"), { type: "bad" }),
	});
	const { sha256, leafIndex, leafHash, log, inclusion, logs, chain, checkpoint } = proof;
	const pairs = [
		["sha256", sha256],
		["bytes", archive === null ? "" : t("bytesValue", { count: count(archive.bytes) })],
		["retainUntil", archive === null ? "" : moment(archive.retainUntil)],
		["leaf", t("leafValue", { index: count(leafIndex), size: count(inclusion.treeSize), log })],
		["leafHash", leafHash],
		["root", logs.root],
		["chain", `${count(chain.index)} · ${chain.hash}`],
	] as const;
	return (
		<div className="invoice-data">
			<section aria-labelledby="proof-title">
				<h2 id="proof-title">{t("proofTitle")}</h2>
				<p className="soft">{t("proofText")}</p>
				<PathCheck proof={proof} />
				<dl className="pairs">
					{pairs.map(([word, value]) => (
						<div key={word} className="invoice-pair">
							<dt>{t(word)}</dt>
							<dd className="number">{/^[0-9a-f]{64}$/.test(value) ? <code>{value}</code> : value}</dd>
						</div>
					))}
				</dl>
				<div className="toolbar">
					<Button icon={<Download aria-hidden />} isBusy={evidence.isPending} onClick={() => evidence.mutate()}>
						{t("evidence")}
					</Button>
					<a className="button button-plain" href="/docs/verify" target="_blank" rel="noreferrer">
						<ShieldCheck aria-hidden />
						{t("verifier")}
					</a>
				</div>
			</section>
			<section aria-labelledby="proof-checkpoint">
				<h2 id="proof-checkpoint">{t("checkpoint")}</h2>
				<CodeText>{checkpoint}</CodeText>
			</section>
		</div>
	);
}

/** Browsers compute digests on https and on this computer only; elsewhere the line is left out. */
function PathCheck({ proof }: { readonly proof: DocumentProof }) {
	const t = useWords(words);
	const { data } = useQuery({
		queryKey: ["path", proof.docId, proof.checkpoint],
		queryFn: () => checkPath(proof),
		enabled: isSecureContext,
	});
	if (data === undefined) return null;
	return data ? (
		<p className="invoice-checked">
			<ShieldCheck className="icon" aria-hidden />
			{t("pathGood")}
		</p>
	) : (
		<Callout tone="bad">{t("pathBad")}</Callout>
	);
}
