/** Deliveries that used up their attempts, to be sent again one by one or all. */
import { MailCheck } from "lucide-react";
import { useState } from "react";
import { Link, useSearchParams } from "wouter";
import type { Answer } from "../../api/call";
import { useCall, useSend } from "../../api/use-call";
import { useFormat } from "../../app/format";
import { useWords } from "../../app/language";
import { useMayOperate } from "../../app/session";
import { Button } from "../../kit/button";
import { SureDialog } from "../../kit/dialog";
import { PageTitle } from "../../kit/page-title";
import { Block, Empty, Refusal } from "../../kit/states";
import { type Column, Pages, Table } from "../../kit/table";
import { notify } from "../../kit/toast";
import { words } from "./words";

type Letter = Answer<"listDeadLetters">["items"][number];

const PAGE = 50;

export default function DeadLetters() {
	const t = useWords(words);
	const { moment, count } = useFormat();
	const mayChange = useMayOperate();
	const [isAsking, setAsking] = useState(false);
	const [params] = useSearchParams();
	const after = params.get("after");
	const asked = useCall(
		"listDeadLetters",
		{ query: { limit: PAGE, ...(after ? { after } : {}) } },
		{ keepsFormer: true },
	);
	const again = useSend("redispatchDeadLetters", ["listDeadLetters"]);
	const send = (deliveryIds?: string[]) =>
		again.mutate(
			{ body: deliveryIds ? { deliveryIds } : {} },
			{
				onSuccess: ({ redispatched }) =>
					redispatched > 0
						? notify(t("sentOnes", { count: count(redispatched) }))
						: notify(t("sentNone"), { type: "bad" }),
			},
		);
	const columns: readonly Column<Letter>[] = [
		{
			...{ id: "letter", title: t("letter") },
			cell: ({ encf, event, company, tenantId }) => (
				<span className="operator-name">
					{encf === null ? null : <strong className="number">{encf}</strong>}
					<code>{event}</code>
					{company === null ? (
						<span className="soft">{tenantId}</span>
					) : (
						<Link href={`/?q=${encodeURIComponent(company)}`}>{company}</Link>
					)}
				</span>
			),
		},
		{ id: "when", title: t("when"), isNarrow: true, cell: ({ deadAt }) => moment(deadAt) },
		{
			...{ id: "why", title: t("why") },
			cell: ({ reason, responseStatus, error }) =>
				// The reason repeats the status, in English.
				[responseStatus === null ? reason : `HTTP ${responseStatus}`, error].filter(Boolean).join(" · "),
		},
		{ id: "attempts", title: t("attempts"), align: "end", cell: ({ attempts }) => count(attempts) },
		...(mayChange
			? [
					{
						...{ id: "actions", title: t("actions"), isActions: true },
						cell: ({ deliveryId, encf, event }: Letter) => (
							<Button aria-label={t("sendNamed", { name: encf ?? event })} onClick={() => send([deliveryId])}>
								{t("sendOne")}
							</Button>
						),
					},
				]
			: []),
	];
	const hasAny = (asked.data?.items.length ?? 0) > 0;
	return (
		<>
			<div className="page-head">
				<PageTitle>{t("lettersTitle")}</PageTitle>
				{mayChange && hasAny ? (
					<Button kind="primary" isBusy={again.isPending} onClick={() => setAsking(true)}>
						{t("sendAll")}
					</Button>
				) : null}
			</div>
			<p className="soft">{t("lettersText")}</p>
			<Refusal error={again.error} />
			<section className="card" aria-label={t("lettersTitle")}>
				<Block
					asked={asked}
					lines={8}
					isEmpty={({ items }) => items.length === 0}
					empty={
						<Empty title={t("noLetters")} icon={MailCheck}>
							{t("noLettersText")}
						</Empty>
					}
				>
					{({ items, next }) => (
						<>
							<Table
								caption={t("lettersTitle")}
								columns={columns}
								rows={items}
								rowId={({ deliveryId }) => deliveryId}
							/>
							<Pages next={next} />
						</>
					)}
				</Block>
			</section>
			{isAsking ? (
				<SureDialog
					title={t("sendAllTitle")}
					text={t("sendAllText")}
					word={t("sendAll")}
					onSure={() => {
						setAsking(false);
						send();
					}}
					onClose={() => setAsking(false)}
				/>
			) : null}
		</>
	);
}
