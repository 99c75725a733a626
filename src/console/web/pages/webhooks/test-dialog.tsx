/** Any event as a test, to one endpoint or to all, and what they answered. */
import { useState } from "react";
import type { Webhook, WebhookTest } from "../../api/generated";
import { useSend } from "../../api/use-call";
import { useFormat } from "../../app/format";
import { useWords } from "../../app/language";
import { Button } from "../../kit/button";
import { Code } from "../../kit/code";
import { Dialog } from "../../kit/dialog";
import { Field, Select } from "../../kit/field";
import { Refusal } from "../../kit/states";
import { Status } from "../../kit/status";
import { EVENT_NAMES, type EventName } from "./event-names";
import { words } from "./words";

type TestDialogProps = {
	readonly endpoints: readonly Webhook[];
	readonly only?: Webhook;
	readonly onClose: () => void;
};

export function TestDialog({ endpoints, only, onClose }: TestDialogProps) {
	const t = useWords(words);
	const [event, setEvent] = useState<EventName>("webhook.test");
	const [webhookId, setWebhookId] = useState(only?.id ?? "");
	const test = useSend("testWebhook");
	const send = () => test.mutate({ body: { event, ...(webhookId ? { webhookId } : {}) } });
	const actions = (
		<Button kind="primary" isBusy={test.isPending} onClick={send}>
			{t("send")}
		</Button>
	);
	return (
		<Dialog title={t("test")} isOpen isWide onClose={onClose} actions={actions}>
			<div className="stack">
				<p className="soft">{t("testText")}</p>
				<Field label={t("event")}>
					<Select
						value={event}
						onChange={({ target }) => setEvent(target.value as EventName)}
						options={EVENT_NAMES.map((value) => ({ value, label: value }))}
					/>
				</Field>
				<Field label={t("endpoint")}>
					<Select
						value={webhookId}
						onChange={({ target }) => setWebhookId(target.value)}
						options={[
							{ value: "", label: t("allEnabled") },
							...endpoints.map(({ id, url, description }) => ({ value: id, label: description || url })),
						]}
					/>
				</Field>
				<Refusal error={test.error} />
				<ul className="stack" aria-live="polite">
					{test.data?.deliveries.map((one) => (
						<li key={one.deliveryId} className="stack webhooks-answer">
							<Answered delivery={one} />
						</li>
					))}
				</ul>
			</div>
		</Dialog>
	);
}

function Answered({ delivery }: { readonly delivery: WebhookTest["deliveries"][number] }) {
	const t = useWords(words);
	const { count } = useFormat();
	const { url, delivered, responseStatus, durationMs, error, responseBody, request } = delivery;
	const headers = Object.entries(request.headers).map(([name, value]) => `${name}: ${value}`);
	return (
		<>
			<div className="toolbar">
				<Status tone={delivered ? "good" : "bad"}>{t(delivered ? "delivered" : "failed")}</Status>
				<span className="soft number">
					{[responseStatus, error, t("took", { ms: count(durationMs) })].filter(Boolean).join(" · ")}
				</span>
			</div>
			<span className="webhooks-url">{url}</span>
			<Code title={t("request")} text={`${headers.join("\n")}\n\n${pretty(request.body)}`} />
			{responseBody ? <Code title={t("answer")} text={responseBody} /> : null}
		</>
	);
}

/** JSON with line breaks; other texts as they are. */
export function pretty(text: string): string {
	try {
		return JSON.stringify(JSON.parse(text), null, 2);
	} catch {
		return text;
	}
}
