/** Leases and voids of this visit, followed until they are decided. */
import { useQuery } from "@tanstack/react-query";
import { type CallError, call } from "../../api/call";
import type { SequenceLease, SequenceVoid } from "../../api/generated";
import { callKey, useSend } from "../../api/use-call";
import { useFormat } from "../../app/format";
import { useWords } from "../../app/language";
import { Button } from "../../kit/button";
import { Refusal } from "../../kit/states";
import { Status } from "../../kit/status";
import { words } from "./words";

const ASK_AGAIN_MS = 2_000;

const VOID_TONES = {
	pending: "plain",
	voided: "good",
	"partly-voided": "warn",
	rejected: "bad",
	unconfirmed: "warn",
	failed: "bad",
} as const;

export function VoidItem({ made }: { readonly made: SequenceVoid }) {
	const t = useWords(words);
	const { count } = useFormat();
	const input = { path: { id: made.id } };
	const { data = made } = useQuery<SequenceVoid, CallError>({
		queryKey: callKey("getVoid", input),
		queryFn: ({ signal }) => call("getVoid", input, { signal }),
		refetchInterval: ({ state }) =>
			state.data === undefined || state.data.status === "pending" ? ASK_AGAIN_MS : false,
	});
	const status = data.status as keyof typeof VOID_TONES;
	return (
		<li>
			<div>
				<strong>{t("voided", { count: count(data.count) })}</strong>
				<span className="number">{`${data.from} – ${data.to}`}</span>
				{data.messages.map(({ code, text }) => (
					<span key={code} className="soft">
						{text}
					</span>
				))}
			</div>
			<Status tone={VOID_TONES[status]}>{t(`void_${status}`)}</Status>
		</li>
	);
}

export function LeaseItem({ lease }: { readonly lease: SequenceLease }) {
	const t = useWords(words);
	const { count, moment } = useFormat();
	const giveBack = useSend("returnLease", ["listSequences"]);
	const { id, status, ranges, expiresAt } = giveBack.data ?? lease;
	return (
		<li>
			<div>
				<strong>{t("leased", { count: count(lease.count), time: moment(expiresAt) })}</strong>
				{ranges.map(({ from, to }) => (
					<span key={from} className="number">{`${from} – ${to}`}</span>
				))}
				<Refusal error={giveBack.error} />
			</div>
			<div className="toolbar">
				<Status tone={status === "active" ? "good" : "plain"}>{t(`lease_${status}`)}</Status>
				{status === "active" ? (
					<Button
						isBusy={giveBack.isPending}
						aria-label={t("giveBackNamed", { from: ranges[0]?.from ?? "" })}
						onClick={() => giveBack.mutate({ path: { id } })}
					>
						{t("giveBack")}
					</Button>
				) : null}
			</div>
		</li>
	);
}
