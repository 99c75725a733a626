/** Where an invoice went: to the buyer's system, by e-mail, and to the company's webhooks. */
import { Mail, RotateCw, Send, Webhook } from "lucide-react";
import type { ReactNode } from "react";
import type { DeliverySummary, Email, Invoice, InvoiceDelivery } from "../../api/generated";
import { useCall, useSend } from "../../api/use-call";
import { useFormat } from "../../app/format";
import { useWords } from "../../app/language";
import { useHere } from "../../app/session";
import { Button } from "../../kit/button";
import { Block, Empty } from "../../kit/states";
import { Status, type Tone } from "../../kit/status";
import { Table } from "../../kit/table";
import { notify } from "../../kit/toast";
import { words } from "./words";

type Props = { readonly invoice: Invoice };

export function DeliveriesTab({ invoice }: Props) {
	const { may } = useHere();
	return (
		<div className="invoice-data">
			<ToBuyer invoice={invoice} />
			<Mails invoice={invoice} />
			{may("webhooks:read") ? <Hooks invoice={invoice} /> : null}
		</div>
	);
}

function Part({ id, children }: { readonly id: "toBuyer" | "mails" | "hooks"; readonly children: ReactNode }) {
	const t = useWords(words);
	return (
		<section aria-labelledby={`deliveries-${id}`}>
			<h2 id={`deliveries-${id}`}>{t(id)}</h2>
			{children}
		</section>
	);
}

function useAgain() {
	const t = useWords(words);
	return {
		onSuccess: () => notify(t("againDone")),
		onError: ({ problem }: { readonly problem: { readonly title: string } | undefined }) =>
			notify(t("againFailed"), { type: "bad", description: problem?.title ?? "" }),
	};
}

const BUYER_STATES: Readonly<Record<string, { readonly word: keyof typeof words.es; readonly tone: Tone }>> = {
	pending: { word: "waiting", tone: "plain" },
	"not-listed": { word: "notListed", tone: "plain" },
	delivered: { word: "delivered", tone: "good" },
	undelivered: { word: "undelivered", tone: "bad" },
	refused: { word: "refused", tone: "bad" },
};

function ToBuyer({ invoice: { docId } }: Props) {
	const t = useWords(words);
	const asked = useCall("getInvoiceDelivery", { path: { docId } });
	// The service has none, which is no fault.
	const isNone = asked.error?.problem?.status === 404;
	return (
		<Part id="toBuyer">
			{isNone ? (
				<Empty title={t("noBuyerDelivery")} icon={Send}>
					{t("noBuyerDeliveryText")}
				</Empty>
			) : (
				<Block asked={asked}>{(delivery) => <BuyerDelivery delivery={delivery} />}</Block>
			)}
		</Part>
	);
}

function BuyerDelivery({ delivery }: { readonly delivery: InvoiceDelivery }) {
	const t = useWords(words);
	const { moment, exact } = useFormat();
	const { may } = useHere();
	const retry = useSend("retryInvoiceDelivery", ["getInvoiceDelivery"]);
	const again = useAgain();
	const { docId, state, motive, detail, attempts, acknowledgement, _links } = delivery;
	const { word, tone } = BUYER_STATES[state] ?? { word: undefined, tone: "plain" as const };
	return (
		<>
			<div className="toolbar">
				<Status tone={tone}>{word === undefined ? state : t(word)}</Status>
				<span className="soft">{[motive?.text, detail].filter(Boolean).join(" · ")}</span>
				{acknowledgement === null ? null : (
					<span className="soft">
						{t("acknowledgement")} · {moment(acknowledgement.receivedAt)}
					</span>
				)}
				{_links.retry !== undefined && may("invoices:write") ? (
					<Button
						icon={<RotateCw aria-hidden />}
						isBusy={retry.isPending}
						onClick={() => retry.mutate({ path: { docId }, idempotencyKey: crypto.randomUUID() }, again)}
					>
						{t("again")}
					</Button>
				) : null}
			</div>
			{attempts.length === 0 ? null : (
				<Table
					caption={t("attempts")}
					rows={attempts}
					rowId={({ n }) => String(n)}
					columns={[
						{ id: "n", title: t("attempt"), isNarrow: true, cell: ({ n }) => n },
						{ id: "at", title: t("time"), cell: ({ at }) => exact(at) },
						{ id: "host", title: t("host"), cell: ({ host }) => host },
						{ id: "result", title: t("result"), cell: ({ httpStatus, result }) => httpStatus ?? result },
						{ id: "detail", title: t("detail"), cell: (one) => one.detail },
					]}
				/>
			)}
		</>
	);
}

const MAIL_TONES: Readonly<Record<Email["status"], Tone>> = {
	...({ queued: "plain", skipped: "warn", failed: "bad", sent: "good" } as const),
	...({ delivered: "good", bounced: "bad", complained: "bad" } as const),
};

function Mails({ invoice: { docId } }: Props) {
	const t = useWords(words);
	const { moment } = useFormat();
	const asked = useCall("listEmails", { path: { docId }, query: { limit: 100 } });
	const empty = (
		<Empty title={t("noMails")} icon={Mail}>
			{t("noMailsText")}
		</Empty>
	);
	return (
		<Part id="mails">
			<Block asked={asked} isEmpty={({ items }) => items.length === 0} empty={empty}>
				{({ items }) => (
					<Table
						caption={t("mails")}
						rows={items}
						rowId={({ emailId }) => emailId}
						columns={[
							{ id: "at", title: t("time"), cell: ({ createdAt }) => moment(createdAt) },
							{ id: "to", title: t("to"), cell: ({ to, cc }) => [...to, ...cc].join(", ") },
							{ id: "subject", title: t("subject"), cell: ({ subject }) => subject },
							{
								...{ id: "state", title: t("state"), isNarrow: true, onPhone: "beside" },
								cell: ({ status }) => <Status tone={MAIL_TONES[status]}>{t(`mail_${status}`)}</Status>,
							},
						]}
					/>
				)}
			</Block>
		</Part>
	);
}

const HOOK_TONES: Readonly<Record<DeliverySummary["status"], Tone>> = {
	...({ pending: "plain", failed: "warn", delivered: "good", dead: "bad" } as const),
};

function Hooks({ invoice: { docId } }: Props) {
	const t = useWords(words);
	const { exact } = useFormat();
	const { may } = useHere();
	const asked = useCall("listDeliveries", { query: { docId, limit: 100 } });
	const send = useSend("redeliver", ["listDeliveries"]);
	const again = useAgain();
	const empty = (
		<Empty title={t("noHooks")} icon={Webhook}>
			{t("noHooksText")}
		</Empty>
	);
	return (
		<Part id="hooks">
			<Block asked={asked} isEmpty={({ items }) => items.length === 0} empty={empty}>
				{({ items }) => (
					<Table
						caption={t("hooks")}
						rows={items}
						rowId={({ deliveryId }) => deliveryId}
						columns={[
							{ id: "at", title: t("time"), cell: ({ createdAt }) => exact(createdAt) },
							{ id: "event", title: t("event"), cell: ({ event }) => <code>{event}</code> },
							{
								...{ id: "answer", title: t("answer") },
								cell: ({ lastAttempt }) => lastAttempt?.responseStatus ?? lastAttempt?.error ?? "",
							},
							{ id: "attempts", title: t("attempts"), align: "end", cell: ({ attemptCount }) => attemptCount },
							{
								...{ id: "state", title: t("state"), isNarrow: true, onPhone: "beside" },
								cell: ({ status }) => <Status tone={HOOK_TONES[status]}>{t(`hook_${status}`)}</Status>,
							},
							{
								...{ id: "again", title: t("again"), isActions: true },
								cell: ({ deliveryId: id }) =>
									may("webhooks:write") ? (
										<Button
											isIcon
											icon={<RotateCw aria-hidden />}
											isBusy={send.isPending && send.variables.path.id === id}
											onClick={() => send.mutate({ path: { id }, idempotencyKey: crypto.randomUUID() }, again)}
										>
											{t("again")}
										</Button>
									) : null,
							},
						]}
					/>
				)}
			</Block>
		</Part>
	);
}
