/** What was sent to the endpoints: filtered in the address, looked at, and sent again. */
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { RotateCw, Webhook as WebhookIcon } from "lucide-react";
import { useEffect, useState } from "react";
import { Link, useSearchParams } from "wouter";
import { call, type Input } from "../../api/call";
import type { DeliverySummary, Webhook } from "../../api/generated";
import { callKey, useCall, useSend } from "../../api/use-call";
import { useFormat } from "../../app/format";
import { useWords } from "../../app/language";
import { useHere } from "../../app/session";
import { Button } from "../../kit/button";
import { Code } from "../../kit/code";
import { Dialog } from "../../kit/dialog";
import { Field, labelOf, Select } from "../../kit/field";
import { Block, Empty, NoneFound, Refusal } from "../../kit/states";
import { Status, type Tone } from "../../kit/status";
import { type Column, Pages, SelectionBar, Table } from "../../kit/table";
import { notify } from "../../kit/toast";
import { nameOf } from "./endpoints";
import { EVENT_NAMES } from "./event-names";
import { pretty } from "./test-dialog";
import { words } from "./words";

const PAGE = 50;
const STATES = ["delivered", "failed", "dead", "pending"] as const;
const TONES: Readonly<Record<DeliverySummary["status"], Tone>> = {
	...({ pending: "plain", failed: "warn", delivered: "good", dead: "bad" } as const),
};
const NONE: ReadonlySet<string> = new Set();
/** While attempts are due, the list is asked for again; ever more seldom, as the attempts come. */
const DUE_MS = 2_000;
const DUE_MAX_MS = 60_000;

type Query = NonNullable<Input<"listDeliveries">["query"]>;

export function Deliveries({ endpoints }: { readonly endpoints: readonly Webhook[] }) {
	const t = useWords(words);
	const client = useQueryClient();
	const [params, setParams] = useSearchParams();
	const { status, webhookId, event, after } = Object.fromEntries(params) as Record<string, string | undefined>;
	const filter = { status, webhookId, event };
	const query = Object.fromEntries(Object.entries({ ...filter, after }).filter(([, value]) => value)) as Query;
	const asked = useCall("listDeliveries", { query: { ...query, limit: PAGE } }, { keepsFormer: true });
	const [chosen, setChosen] = useState(NONE);
	const [opened, setOpened] = useState<string>();
	const change = (values: Partial<typeof filter>) => {
		setChosen(NONE);
		setParams(
			Object.entries({ ...filter, ...values }).flatMap(([name, value]) => (value ? [[name, value]] : [])),
			{ replace: true },
		);
	};
	const { data, dataUpdatedAt } = asked;
	// biome-ignore lint/correctness/useExhaustiveDependencies: an answer like the one before waits anew
	useEffect(() => {
		const due = data?.items.filter(({ status }) => status === "pending" || status === "failed") ?? [];
		if (due.length === 0) return undefined;
		const last = Math.max(...due.map(({ createdAt, lastAttempt }) => Date.parse(lastAttempt?.at ?? createdAt)));
		const pauseMs = Math.min(Math.max(DUE_MS, (Date.now() - last) / 2), DUE_MAX_MS);
		const timer = setTimeout(() => void client.invalidateQueries({ queryKey: callKey("listDeliveries") }), pauseMs);
		return () => clearTimeout(timer);
	}, [data, dataUpdatedAt, client]);
	const isFiltered = Object.values(filter).some(Boolean);
	const states = STATES.map((value) => ({ value, label: t(value) }));
	const targets = endpoints.map((one) => ({ value: one.id, label: nameOf(one) }));
	const filters = [
		[t("state"), labelOf(states, status)],
		[t("endpoint"), labelOf(targets, webhookId)],
		[t("event"), event],
	] as const;
	const clear = () => change({ status: "", webhookId: "", event: "" });
	const empty = isFiltered ? (
		<NoneFound title={t("noneTitle")} {...{ filters }} onClear={clear} />
	) : (
		<Empty title={t("noDeliveries")} icon={WebhookIcon}>
			{t("noDeliveriesText")}
		</Empty>
	);
	return (
		<>
			<search className="toolbar webhooks-filter">
				<Field label={t("state")} hidesLabel>
					<Select
						value={status ?? ""}
						onChange={({ target }) => change({ status: target.value })}
						options={[{ value: "", label: t("anyState") }, ...states]}
					/>
				</Field>
				<Field label={t("endpoint")} hidesLabel>
					<Select
						value={webhookId ?? ""}
						onChange={({ target }) => change({ webhookId: target.value })}
						options={[{ value: "", label: t("anyEndpoint") }, ...targets]}
					/>
				</Field>
				<Field label={t("event")} hidesLabel>
					<Select
						value={event ?? ""}
						onChange={({ target }) => change({ event: target.value })}
						options={[
							{ value: "", label: t("anyEvent") },
							...EVENT_NAMES.map((value) => ({ value, label: value as string })),
						]}
					/>
				</Field>
			</search>
			<Block asked={asked} lines={8} isEmpty={({ items }) => items.length === 0} empty={empty}>
				{({ items }) => (
					<DeliveryTable items={items} endpoints={endpoints} chosen={chosen} onChoose={setChosen} onOpen={setOpened} />
				)}
			</Block>
			<Pages next={data?.next ?? null} />
			{chosen.size > 0 ? <ChosenBar chosen={chosen} onDone={() => setChosen(NONE)} /> : null}
			{opened === undefined ? null : <DeliveryDialog id={opened} onClose={() => setOpened(undefined)} />}
		</>
	);
}

type DeliveryTableProps = {
	readonly items: readonly DeliverySummary[];
	readonly endpoints: readonly Webhook[];
	readonly chosen: ReadonlySet<string>;
	readonly onChoose: (chosen: ReadonlySet<string>) => void;
	readonly onOpen: (id: string) => void;
};

function DeliveryTable({ items, endpoints, chosen, onChoose, onOpen }: DeliveryTableProps) {
	const t = useWords(words);
	const { exact, count } = useFormat();
	const { may } = useHere();
	const names = new Map(endpoints.map((one) => [one.id, nameOf(one)]));
	const again = useRedeliver();
	const labelOf = ({ event, createdAt }: DeliverySummary) => `${event}, ${exact(createdAt)}`;
	const byId = new Map(items.map((one) => [one.deliveryId, one]));
	const columns: readonly Column<DeliverySummary>[] = [
		{
			...{ id: "event", title: t("event") },
			cell: ({ deliveryId, event, createdAt }) => (
				<>
					<button type="button" className="webhooks-open" onClick={() => onOpen(deliveryId)}>
						<code>{event}</code>
					</button>
					<span className="webhooks-under number">{exact(createdAt)}</span>
				</>
			),
		},
		{
			...{ id: "endpoint", title: t("endpoint") },
			cell: ({ webhookId }) => <span className="webhooks-to">{names.get(webhookId) ?? t("removed")}</span>,
		},
		{
			...{ id: "answer", title: t("answer"), isNarrow: true },
			cell: ({ lastAttempt }) => (
				<span className="number">{lastAttempt?.responseStatus ?? lastAttempt?.error ?? ""}</span>
			),
		},
		{ id: "attempts", title: t("attempts"), align: "end", cell: ({ attemptCount }) => count(attemptCount) },
		{
			...{ id: "state", title: t("state"), isNarrow: true, onPhone: "beside" },
			cell: ({ status }) => <Status tone={TONES[status]}>{t(status)}</Status>,
		},
	];
	const action: Column<DeliverySummary> = {
		...{ id: "again", title: t("again"), isActions: true },
		cell: (one) => (
			<Button
				isIcon
				icon={<RotateCw aria-hidden />}
				isBusy={again.isPending && again.variables.path.id === one.deliveryId}
				onClick={() => again.send(one.deliveryId)}
			>
				{t("againNamed", { name: labelOf(one) })}
			</Button>
		),
	};
	const mayWrite = may("webhooks:write");
	const nameOfRow = (id: string) => {
		const one = byId.get(id);
		return one ? labelOf(one) : id;
	};
	return (
		<Table
			caption={t("deliveries")}
			rows={items}
			rowId={({ deliveryId }) => deliveryId}
			columns={mayWrite ? [...columns, action] : columns}
			{...(mayWrite ? { selection: { chosen, onChange: onChoose, nameOf: nameOfRow } } : {})}
		/>
	);
}

function useRedeliver() {
	const t = useWords(words);
	const sending = useSend("redeliver", ["listDeliveries", "getDelivery", "getWebhookStats"]);
	const send = (id: string) =>
		sending.mutate(
			{ path: { id }, idempotencyKey: crypto.randomUUID() },
			{
				onSuccess: () => notify(t("againDone")),
				onError: ({ problem }) =>
					notify(t("againFailed"), { type: "bad", description: problem?.detail ?? problem?.title ?? "" }),
			},
		);
	return { ...sending, send };
}

function ChosenBar({ chosen, onDone }: { readonly chosen: ReadonlySet<string>; readonly onDone: () => void }) {
	const t = useWords(words);
	const { count } = useFormat();
	const client = useQueryClient();
	const again = useMutation({
		mutationFn: () =>
			Promise.allSettled(
				[...chosen].map((id) => call("redeliver", { path: { id }, idempotencyKey: crypto.randomUUID() })),
			),
		onSuccess: (answers) => {
			const failed = answers.filter((one) => one.status === "rejected").length;
			if (failed > 0) notify(t("manyFailed", { count: count(failed) }), { type: "bad" });
			else notify(t("manyDone", { count: count(answers.length) }));
			onDone();
			return client.invalidateQueries({ queryKey: callKey("listDeliveries") });
		},
	});
	return (
		<SelectionBar count={chosen.size} onClear={onDone}>
			<Button icon={<RotateCw aria-hidden />} isBusy={again.isPending} onClick={() => again.mutate()}>
				{t("again")}
			</Button>
		</SelectionBar>
	);
}

function DeliveryDialog({ id, onClose }: { readonly id: string; readonly onClose: () => void }) {
	const t = useWords(words);
	const { exact, count } = useFormat();
	const { may } = useHere();
	const asked = useCall("getDelivery", { path: { id } });
	const again = useRedeliver();
	const actions = may("webhooks:write") ? (
		<Button
			kind="primary"
			icon={<RotateCw aria-hidden />}
			isBusy={again.isPending}
			onClick={() => {
				again.send(id);
				onClose();
			}}
		>
			{t("again")}
		</Button>
	) : null;
	return (
		<Dialog title={t("delivery")} isOpen isWide onClose={onClose} actions={actions}>
			<Block asked={asked}>
				{({ event, docId, status, reason, body, attempts }) => (
					<div className="stack">
						<div className="toolbar">
							<Status tone={TONES[status]}>{t(status)}</Status>
							<code>{event}</code>
							{event.startsWith("invoice.") && may("invoices:read") ? (
								<Link href={`/invoices/${docId}`} onClick={onClose}>
									{t("document")}
								</Link>
							) : null}
						</div>
						{reason === null ? null : <p className="soft">{reason}</p>}
						<Table
							caption={t("attempts")}
							rows={attempts}
							rowId={({ n }) => String(n)}
							columns={[
								{ id: "n", title: t("attempt"), isNarrow: true, cell: ({ n }) => n },
								{ id: "at", title: t("time"), cell: ({ at }) => exact(at) },
								{ id: "took", title: t("duration"), align: "end", cell: ({ durationMs }) => `${count(durationMs)} ms` },
								{ id: "answer", title: t("answer"), cell: (one) => one.responseStatus ?? one.error },
								{ id: "body", title: t("content"), cell: (one) => <code>{one.responseBody}</code> },
							]}
						/>
						<Code title={t("request")} text={pretty(body)} />
					</div>
				)}
			</Block>
			<Refusal error={again.error} />
		</Dialog>
	);
}
