/** What happened to an invoice, oldest first. */
import { CircleCheck, CircleDashed, CircleX, FileSignature, type LucideIcon, Send } from "lucide-react";
import type { Invoice, ListInvoiceEventsAnswer } from "../../api/generated";
import { useCall } from "../../api/use-call";
import { useFormat } from "../../app/format";
import { useWords } from "../../app/language";
import { Block } from "../../kit/states";
import { words } from "./words";

const STEPS_MAX = 100;

type Step = {
	readonly key: string;
	readonly at: string;
	readonly word: keyof typeof words.es;
	readonly icon: LucideIcon;
	readonly tone: "good" | "bad" | "plain";
	readonly text?: string | null | undefined;
};

const PHASES = ["queued", "held", "sending", "unconfirmed", "tracking"] as const;
const DECIDED = {
	accepted: { word: "decidedAccepted", icon: CircleCheck, tone: "good" },
	rejected: { word: "decidedRejected", icon: CircleX, tone: "bad" },
	failed: { word: "decidedFailed", icon: CircleX, tone: "bad" },
} as const;

export function Timeline({ invoice }: { readonly invoice: Invoice }) {
	const t = useWords(words);
	const { exact, count } = useFormat();
	const { docId } = invoice;
	const asked = useCall("listInvoiceEvents", { path: { docId }, query: { limit: STEPS_MAX } });
	return (
		<Block asked={asked}>
			{(answer) => (
				<>
					<ol className="steps">
						{toSteps(invoice, answer.items).map(({ key, at, word, icon: Icon, tone, text }) => (
							<li key={key} className={`step step-${tone}`}>
								<Icon aria-hidden />
								<div>
									<strong>{t(word)}</strong>
									{text ? <p className="soft">{text}</p> : null}
								</div>
								<time className="soft number" dateTime={at}>
									{exact(at)}
								</time>
							</li>
						))}
					</ol>
					{answer.next === null ? null : (
						<p className="soft invoice-note">{t("earlier", { count: count(STEPS_MAX) })}</p>
					)}
				</>
			)}
		</Block>
	);
}

function toSteps({ createdAt, approval }: Invoice, items: ListInvoiceEventsAnswer["items"]): Step[] {
	const steps = items.map((item): Step => {
		const { version, at, status, phase } = item;
		const key = `${version} ${at}`;
		if (version === 1) return { key, at, word: "signed", icon: FileSignature, tone: "plain" };
		if (phase === "decided" && status in DECIDED) return { key, at, ...DECIDED[status as keyof typeof DECIDED] };
		const word = PHASES.find((one) => one === phase) ?? "decidedPending";
		return { key, at, word, icon: phase === "queued" || phase === "held" ? CircleDashed : Send, tone: "plain" };
	});
	if (!items.some(({ version }) => version === 1))
		steps.unshift({ key: "signed", at: createdAt, word: "signed", icon: FileSignature, tone: "plain" });
	if (approval !== null) {
		const isGood = approval.decision === "approved";
		steps.push({
			...{ key: approval.approvalId, at: approval.receivedAt, text: approval.reason },
			word: isGood ? "buyerApproved" : "buyerRejected",
			...(isGood ? ({ icon: CircleCheck, tone: "good" } as const) : ({ icon: CircleX, tone: "bad" } as const)),
		});
	}
	return steps;
}
