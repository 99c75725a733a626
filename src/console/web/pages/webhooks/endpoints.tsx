/** Each endpoint with its last 24 hours, and what can be done with it. */
import { Ellipsis } from "lucide-react";
import { useState } from "react";
import { useSearchParams } from "wouter";
import type { Webhook, WebhookStats } from "../../api/generated";
import { useCall, useSend } from "../../api/use-call";
import { useFormat } from "../../app/format";
import { useWords } from "../../app/language";
import { useHere } from "../../app/session";
import { Button } from "../../kit/button";
import { Strip } from "../../kit/charts";
import { SureDialog } from "../../kit/dialog";
import { Menu, type MenuItem } from "../../kit/menu";
import { Refusal } from "../../kit/states";
import { Status } from "../../kit/status";
import { notify } from "../../kit/toast";
import { EndpointDialog, RecoverDialog, RotateDialog } from "./endpoint-dialogs";
import { TestDialog } from "./test-dialog";
import { words } from "./words";

/** What a person calls it. */
export const nameOf = ({ description, url }: Webhook): string => description || url;

type Task = {
	readonly kind: "change" | "rotate" | "recover" | "test" | "disable" | "remove";
	readonly endpoint: Webhook;
};
type EndpointsProps = { readonly items: readonly Webhook[]; readonly onSecret: (secret: string) => void };

export function Endpoints({ items, onSecret }: EndpointsProps) {
	const t = useWords(words);
	const [task, setTask] = useState<Task>();
	const patch = useSend("patchWebhook", ["listWebhooks", "listDeliveries"]);
	const remove = useSend("deleteWebhook", ["listWebhooks", "listDeliveries"]);
	const promote = useSend("promoteWebhookSecret", ["listWebhooks"]);
	const idempotencyKey = crypto.randomUUID();
	const end = () => setTask(undefined);
	const setStatus = ({ id: webhookId }: Webhook, status: Webhook["status"]) => {
		const done = () => notify(t(status === "enabled" ? "enableDone" : "disableDone"));
		patch.mutate({ path: { id: webhookId }, body: { status }, idempotencyKey }, { onSuccess: done });
		end();
	};
	const removeIt = ({ id }: Webhook) => {
		remove.mutate({ path: { id } }, { onSuccess: () => notify(t("removeDone")) });
		end();
	};
	const promoteIt = ({ id }: Webhook) =>
		promote.mutate({ path: { id }, idempotencyKey }, { onSuccess: () => notify(t("promoteDone")) });
	const { kind, endpoint } = task ?? {};
	return (
		<>
			<Refusal error={patch.error ?? remove.error ?? promote.error} />
			<ul className="webhooks-list">
				{items.map((one) => (
					<li key={one.id}>
						<Endpoint
							endpoint={one}
							onTask={(next) => setTask({ kind: next, endpoint: one })}
							onEnable={() => setStatus(one, "enabled")}
							onPromote={() => promoteIt(one)}
						/>
					</li>
				))}
			</ul>
			{kind === "change" ? <EndpointDialog endpoint={endpoint} onSecret={onSecret} onClose={end} /> : null}
			{kind === "rotate" && endpoint ? <RotateDialog endpoint={endpoint} onSecret={onSecret} onClose={end} /> : null}
			{kind === "recover" && endpoint ? <RecoverDialog endpoint={endpoint} onClose={end} /> : null}
			{kind === "test" && endpoint ? <TestDialog endpoints={items} only={endpoint} onClose={end} /> : null}
			{kind === "disable" && endpoint ? (
				<SureDialog
					title={t("disableTitle", { name: nameOf(endpoint) })}
					text={t("disableText")}
					word={t("disable")}
					onSure={() => setStatus(endpoint, "disabled")}
					onClose={end}
				/>
			) : null}
			{kind === "remove" && endpoint ? (
				<SureDialog
					title={t("removeTitle", { name: nameOf(endpoint) })}
					text={t("removeText")}
					word={t("remove")}
					onSure={() => removeIt(endpoint)}
					onClose={end}
				/>
			) : null}
		</>
	);
}

type EndpointProps = {
	readonly endpoint: Webhook;
	readonly onTask: (kind: Task["kind"]) => void;
	readonly onEnable: () => void;
	readonly onPromote: () => void;
};

function Endpoint({ endpoint, onTask, onEnable, onPromote }: EndpointProps) {
	const t = useWords(words);
	const { may } = useHere();
	const { moment, share, count } = useFormat();
	const [, setParams] = useSearchParams();
	const { id, url, description, events, status, probe, previousSecretExpiresAt, nextSecretHint } = endpoint;
	const { data: stats } = useCall("getWebhookStats", { path: { id }, query: { window: "24h" } });
	const item = (kind: Task["kind"], isBad = false): MenuItem => ({
		label: t(kind),
		isBad,
		onSelect: () => onTask(kind),
	});
	const see = { label: t("seeDeliveries"), onSelect: () => setParams({ webhookId: id }, { replace: true }) };
	const changes: readonly MenuItem[] = may("webhooks:write")
		? [
				item("change"),
				item("recover"),
				item("rotate"),
				...(nextSecretHint === undefined ? [] : [{ label: t("promote"), onSelect: onPromote }]),
				status === "enabled" ? item("disable", true) : { label: t("enable"), onSelect: onEnable },
				item("remove", true),
			]
		: [];
	const groups = [{ items: [see, ...(may("webhooks:test") ? [item("test")] : [])] }, { items: changes }];
	const trigger = (
		<Button kind="quiet" isIcon icon={<Ellipsis aria-hidden />}>
			{t("actionsOf", { name: nameOf(endpoint) })}
		</Button>
	);
	const [first = "", ...others] = events;
	const { counts } = stats ?? {};
	return (
		<>
			<div className="webhooks-name">
				<strong>{nameOf(endpoint)}</strong>
				{description ? <span className="soft webhooks-url">{url}</span> : null}
				<span className="soft" title={events.join(", ")}>
					<code>{first}</code>
					{others.length > 0 ? ` ${t("otherEvents", { count: count(others.length) })}` : ""}
				</span>
				{previousSecretExpiresAt === undefined ? null : (
					<span className="soft">{t("rotating", { time: moment(previousSecretExpiresAt) })}</span>
				)}
				{probe === null ? null : <span className="soft">{t("probing", { time: moment(probe.nextAt) })}</span>}
			</div>
			<div className="webhooks-day">{stats ? <Day stats={stats} name={nameOf(endpoint)} /> : null}</div>
			<div className="webhooks-state">
				{status === "disabled" ? (
					<Status tone="warn">{t("disabled")}</Status>
				) : counts && counts.failed + counts.dead > 0 ? (
					<Status tone={(stats?.success ?? 1) < 0.5 ? "bad" : "warn"}>{t("failing")}</Status>
				) : (
					<Status tone="good">{t("enabled")}</Status>
				)}
				{stats && stats.success !== null ? (
					<span className="soft number">{t("arrived", { share: share(stats.success) })}</span>
				) : null}
			</div>
			<Menu trigger={trigger} groups={groups.filter(({ items }) => items.length > 0)} align="end" />
		</>
	);
}

function Day({ stats, name }: { readonly stats: WebhookStats; readonly name: string }) {
	const t = useWords(words);
	const { clock, count } = useFormat();
	const { steps, stepSeconds, from, counts, p50Ms, p95Ms } = stats;
	const start = new Date(from).getTime();
	const states = steps.map(({ delivered, undelivered }, at) => {
		const tone = undelivered > 0 ? (delivered > undelivered ? "warn" : "bad") : delivered > 0 ? "good" : "plain";
		const time = clock(new Date(start + at * stepSeconds * 1_000).toISOString());
		const text = t("step", { time, delivered: count(delivered), undelivered: count(undelivered) });
		return { tone, text } as const;
	});
	const numbers = { delivered: count(counts.delivered), failed: count(counts.failed), dead: count(counts.dead) };
	return (
		<>
			<Strip label={t("dayOf", { name, ...numbers })} states={states} />
			<span className="soft number">
				{t("counts", numbers)}
				{p50Ms === null || p95Ms === null ? "" : ` · ${t("speed", { p50: count(p50Ms), p95: count(p95Ms) })}`}
			</span>
		</>
	);
}
