/** The dialogs of an endpoint: to make or change it, to replace its secret, and what died. */
import { type FormEvent, useId, useState } from "react";
import type { Webhook } from "../../api/generated";
import { useSend } from "../../api/use-call";
import { useFormat } from "../../app/format";
import { useWords } from "../../app/language";
import { Button } from "../../kit/button";
import { Dialog, ReplaceDialog } from "../../kit/dialog";
import { Field, Select, TextInput } from "../../kit/field";
import { Refusal } from "../../kit/states";
import { notify } from "../../kit/toast";
import { EVENT_PATTERNS, type EventPattern, USUAL_EVENTS } from "./event-names";
import { words } from "./words";

type EndpointDialogProps = {
	/** Absent: a new one. */
	readonly endpoint?: Webhook | undefined;
	readonly onSecret: (secret: string) => void;
	readonly onClose: () => void;
};

export function EndpointDialog({ endpoint, onSecret, onClose }: EndpointDialogProps) {
	const t = useWords(words);
	const form = useId();
	const [events, setEvents] = useState(new Set((endpoint?.events as EventPattern[] | undefined) ?? USUAL_EVENTS));
	const [idempotencyKey, setKey] = useState(() => crypto.randomUUID());
	const create = useSend("createWebhook", ["listWebhooks"]);
	const change = useSend("patchWebhook", ["listWebhooks"]);
	const error = create.error ?? change.error;
	const isPlaced = error?.problem?.errors?.some(({ pointer }) => /^\/(?:url|rateLimitPerSecond)/.test(pointer));
	const submit = (event: FormEvent<HTMLFormElement>) => {
		event.preventDefault();
		const values = new FormData(event.currentTarget);
		const text = (name: string) => String(values.get(name) ?? "").trim();
		const rate = text("rate");
		const body = {
			url: text("url"),
			events: [...events],
			ordering: text("ordering") === "none" ? ("none" as const) : ("per_document" as const),
			recovery: text("recovery") === "manual" ? ("manual" as const) : ("automatic" as const),
		};
		// A changed request must not get the answer of the one before.
		setKey(crypto.randomUUID());
		if (endpoint) {
			const done = () => {
				notify(t("changeDone"));
				onClose();
			};
			const cleared = { description: text("description") || null, rateLimitPerSecond: rate ? Number(rate) : null };
			change.mutate({ path: { id: endpoint.id }, body: { ...body, ...cleared }, idempotencyKey }, { onSuccess: done });
			return;
		}
		const done = ({ secret }: Webhook) => {
			onClose();
			if (secret) onSecret(secret);
		};
		const given = {
			...(text("description") ? { description: text("description") } : {}),
			...(rate ? { rateLimitPerSecond: Number(rate) } : {}),
		};
		create.mutate({ body: { ...body, ...given }, idempotencyKey }, { onSuccess: done });
	};
	const actions = (
		<Button
			type="submit"
			form={form}
			kind="primary"
			isBusy={create.isPending || change.isPending}
			disabled={events.size === 0}
		>
			{endpoint ? t("save") : t("add")}
		</Button>
	);
	return (
		<Dialog title={endpoint ? t("changeTitle") : t("addTitle")} isOpen onClose={onClose} actions={actions}>
			<form id={form} className="stack" onSubmit={submit}>
				<Refusal error={isPlaced ? null : error} />
				<Field label={t("url")} hint={t("urlHint")} error={error?.faultAt("/url")}>
					<TextInput name="url" inputMode="url" autoComplete="off" defaultValue={endpoint?.url} required />
				</Field>
				<Field label={t("description")} hint={t("descriptionHint")}>
					<TextInput name="description" maxLength={200} defaultValue={endpoint?.description ?? ""} />
				</Field>
				<fieldset className="checks">
					<legend className="field-label">{t("events")}</legend>
					{EVENT_PATTERNS.map((name) => (
						<label key={name} className="check">
							<input
								type="checkbox"
								checked={events.has(name)}
								onChange={() => setEvents(events.symmetricDifference(new Set([name])))}
							/>
							<code>{name}</code>
							{name === "*" ? t("allEvents") : null}
						</label>
					))}
				</fieldset>
				<Field label={t("ordering")}>
					<Select
						name="ordering"
						defaultValue={endpoint?.ordering ?? "per_document"}
						options={(["per_document", "none"] as const).map((value) => ({ value, label: t(`ordering_${value}`) }))}
					/>
				</Field>
				<Field label={t("recovery")} hint={t("recoveryHint")}>
					<Select
						name="recovery"
						defaultValue={endpoint?.recovery ?? "automatic"}
						options={(["automatic", "manual"] as const).map((value) => ({ value, label: t(`recovery_${value}`) }))}
					/>
				</Field>
				<Field label={t("rate")} hint={t("rateHint")} error={error?.faultAt("/rateLimitPerSecond")}>
					<TextInput
						name="rate"
						inputMode="numeric"
						pattern="[0-9]*"
						defaultValue={endpoint?.rateLimitPerSecond ?? ""}
					/>
				</Field>
			</form>
		</Dialog>
	);
}

type TaskDialogProps = { readonly endpoint: Webhook; readonly onClose: () => void };

export function RotateDialog({ endpoint, onSecret, onClose }: TaskDialogProps & Pick<EndpointDialogProps, "onSecret">) {
	const t = useWords(words);
	const rotate = useSend("rotateWebhookSecret", ["listWebhooks"]);
	const send = (overlapSeconds: number, idempotencyKey: string) => {
		const done = ({ secret }: Webhook) => {
			onClose();
			if (secret) onSecret(secret);
		};
		rotate.mutate({ path: { id: endpoint.id }, body: { overlapSeconds }, idempotencyKey }, { onSuccess: done });
	};
	return (
		<ReplaceDialog
			{...{ title: t("rotateTitle"), text: t("rotateText"), word: t("rotate") }}
			{...{ label: t("overlap"), hint: t("overlapHint"), sent: rotate, onSend: send, onClose }}
		/>
	);
}

/** What died since then is sent again. Times are the Dominican Republic's, four hours behind UTC all year. */
export function RecoverDialog({ endpoint, onClose }: TaskDialogProps) {
	const t = useWords(words);
	const { count } = useFormat();
	const form = useId();
	const [idempotencyKey] = useState(() => crypto.randomUUID());
	const [dayAgo] = useState(() => new Date(Date.now() - 28 * 3_600_000).toISOString().slice(0, 16));
	const recover = useSend("recoverWebhook", ["listDeliveries", "getWebhookStats", "listWebhooks"]);
	const submit = (event: FormEvent<HTMLFormElement>) => {
		event.preventDefault();
		const local = String(new FormData(event.currentTarget).get("since")).slice(0, 16);
		const since = new Date(`${local}:00-04:00`).toISOString();
		const done = ({ queued }: { readonly queued: number }) => {
			notify(t("recoverDone", { count: count(queued) }));
			onClose();
		};
		recover.mutate({ path: { id: endpoint.id }, body: { since }, idempotencyKey }, { onSuccess: done });
	};
	const actions = (
		<Button type="submit" form={form} kind="primary" isBusy={recover.isPending}>
			{t("recover")}
		</Button>
	);
	return (
		<Dialog title={t("recoverTitle")} isOpen onClose={onClose} actions={actions}>
			<form id={form} className="stack" onSubmit={submit}>
				<p>{t("recoverText")}</p>
				<Refusal error={recover.error} />
				<Field label={t("since")}>
					<TextInput type="datetime-local" name="since" defaultValue={dayAgo} required />
				</Field>
			</form>
		</Dialog>
	);
}
