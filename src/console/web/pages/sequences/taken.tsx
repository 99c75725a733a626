/** What was taken from the ranges: numbers that are leased now, and voids, followed until they are decided. */
import { useQuery } from "@tanstack/react-query";
import { type ReactNode, useId, useState } from "react";
import { type CallError, call } from "../../api/call";
import type { SequenceLease, SequenceVoid } from "../../api/generated";
import { callKey, useCall, useSend } from "../../api/use-call";
import { useFormat } from "../../app/format";
import { useWords } from "../../app/language";
import { useHere } from "../../app/session";
import { Button } from "../../kit/button";
import { type Asked, Block, Refusal } from "../../kit/states";
import { Status } from "../../kit/status";
import { notify } from "../../kit/toast";
import { words } from "./words";

const ASK_AGAIN_MS = 2_000;
const SHOWN = 10;
const SHOWN_MAX = 100;

const VOID_TONES = {
	pending: "plain",
	voided: "good",
	"partly-voided": "warn",
	rejected: "bad",
	unconfirmed: "warn",
	failed: "bad",
} as const;

export function Leases() {
	const t = useWords(words);
	const [limit, setLimit] = useState(SHOWN);
	const asked = useCall("listLeases", { query: { status: "active", limit } }, { keepsFormer: true });
	return (
		<Taken
			title={t("leases")}
			none={t("noLeases")}
			asked={asked}
			onMore={limit === SHOWN ? () => setLimit(SHOWN_MAX) : undefined}
		>
			{(lease) => <LeaseItem key={lease.id} lease={lease} />}
		</Taken>
	);
}

export function Voids() {
	const t = useWords(words);
	const [limit, setLimit] = useState(SHOWN);
	const asked = useCall("listVoids", { query: { limit } }, { keepsFormer: true });
	return (
		<Taken
			title={t("voids")}
			none={t("noVoids")}
			asked={asked}
			onMore={limit === SHOWN ? () => setLimit(SHOWN_MAX) : undefined}
		>
			{(made) => <VoidItem key={made.id} made={made} />}
		</Taken>
	);
}

type TakenProps<Item> = {
	readonly title: string;
	/** In place of an empty list. */
	readonly none: string;
	readonly asked: Asked<{ readonly items: readonly Item[]; readonly next: string | null }>;
	readonly onMore: (() => void) | undefined;
	readonly children: (item: Item) => ReactNode;
};

function Taken<Item>({ title, none, asked, onMore, children }: TakenProps<Item>) {
	const t = useWords(words);
	const id = useId();
	return (
		<section className="card" aria-labelledby={id}>
			<div className="card-head">
				<h2 id={id}>{title}</h2>
			</div>
			<Block
				asked={asked}
				lines={1}
				isEmpty={({ items }) => items.length === 0}
				empty={<p className="card-body soft">{none}</p>}
			>
				{({ items, next }) => (
					<>
						<ul className="rows sequences-taken">{items.map(children)}</ul>
						{next === null || onMore === undefined ? null : (
							<div className="pages">
								<Button onClick={onMore}>{t("more")}</Button>
							</div>
						)}
					</>
				)}
			</Block>
		</section>
	);
}

function LeaseItem({ lease }: { readonly lease: SequenceLease }) {
	const t = useWords(words);
	const { may } = useHere();
	const { count, moment } = useFormat();
	const giveBack = useSend("returnLease", ["listSequences", "listLeases"]);
	const { id, ranges, expiresAt } = lease;
	// The item is gone from the list before the answer's own callbacks would run.
	const end = () =>
		giveBack.mutateAsync({ path: { id } }).then(
			() => notify(t("returned")),
			() => undefined,
		);
	return (
		<li>
			<div>
				<strong>{t("leased", { count: count(lease.count), time: moment(expiresAt) })}</strong>
				{ranges.map(({ from, to }) => (
					<span key={from} className="number">{`${from} – ${to}`}</span>
				))}
				<Refusal error={giveBack.error} />
			</div>
			{may("sequences:write") ? (
				<Button
					isBusy={giveBack.isPending}
					aria-label={t("giveBackNamed", { from: ranges[0]?.from ?? "" })}
					onClick={() => void end()}
				>
					{t("giveBack")}
				</Button>
			) : null}
		</li>
	);
}

function VoidItem({ made }: { readonly made: SequenceVoid }) {
	const t = useWords(words);
	const { count, moment } = useFormat();
	const input = { path: { id: made.id } };
	const followed = useQuery<SequenceVoid, CallError>({
		queryKey: callKey("getVoid", input),
		queryFn: ({ signal }) => call("getVoid", input, { signal }),
		enabled: made.status === "pending",
		refetchInterval: ({ state }) =>
			state.data === undefined || state.data.status === "pending" ? ASK_AGAIN_MS : false,
	});
	const shown = made.status === "pending" ? (followed.data ?? made) : made;
	const status = shown.status as keyof typeof VOID_TONES;
	return (
		<li>
			<div>
				<strong>{t("voided", { count: count(shown.count) })}</strong>
				<span className="number">{`${shown.from} – ${shown.to}`}</span>
				<span className="soft">{`${moment(shown.createdAt)} · ${shown.reason}`}</span>
				{shown.messages.map(({ code, text }) => (
					<span key={code} className="soft">
						{text}
					</span>
				))}
			</div>
			<Status tone={VOID_TONES[status]}>{t(`void_${status}`)}</Status>
		</li>
	);
}
