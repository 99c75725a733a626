/** The company's certification test sets: rehearsed, run with the authority, and kept as evidence. */
import { useQuery } from "@tanstack/react-query";
import { CircleHelp, FlaskConical, Play } from "lucide-react";
import { useState } from "react";
import { Link, useLocation, useSearchParams } from "wouter";
import { type CallError, call } from "../../api/call";
import type { CheckSetTests, ListCheckSetTestsAnswer } from "../../api/generated";
import { callKey } from "../../api/use-call";
import { useFormat } from "../../app/format";
import { toGuide, useWords } from "../../app/language";
import { useHere } from "../../app/session";
import { Button } from "../../kit/button";
import { PageTitle } from "../../kit/page-title";
import { Block, Empty } from "../../kit/states";
import { Status, type Tone } from "../../kit/status";
import { type Column, Pages, Table } from "../../kit/table";
import { StartDialog } from "./start-dialog";
import { words } from "./words";

type SetStatus = CheckSetTests["status"];

const TONES: Readonly<Record<SetStatus, Tone>> = {
	...({ pending: "plain", generating: "plain", submitting: "plain", validating: "plain" } as const),
	...({ passed: "good", failed: "bad", expired: "warn", cancelled: "plain" } as const),
};
const ACTIVE: readonly SetStatus[] = ["pending", "generating", "submitting", "validating"];
const PAGE = 20;
const POLL_MS = 2_000;

export const isRunning = ({ status }: Pick<CheckSetTests, "status">) => ACTIVE.includes(status);

export function SetMark({ status }: { readonly status: SetStatus }) {
	const t = useWords(words);
	return <Status tone={TONES[status]}>{t(status)}</Status>;
}

export default function CertificationPage() {
	const t = useWords(words);
	const { may } = useHere();
	const [, go] = useLocation();
	const [params] = useSearchParams();
	const [isStarting, setStarting] = useState(false);
	const after = params.get("after");
	const input = { query: { limit: PAGE, ...(after === null ? {} : { after }) } };
	const asked = useQuery<ListCheckSetTestsAnswer, CallError>({
		queryKey: callKey("listCheckSetTests", input),
		queryFn: ({ signal }) => call("listCheckSetTests", input, { signal }),
		refetchInterval: ({ state }) => (state.data?.items.some(isRunning) ? POLL_MS : false),
	});
	const startButton = may("certification:write") ? (
		<Button kind="primary" icon={<Play aria-hidden />} onClick={() => setStarting(true)}>
			{t("start")}
		</Button>
	) : null;
	const help = (
		<a className="button button-plain" href={toGuide("certification")} target="_blank" rel="noreferrer">
			<CircleHelp aria-hidden />
			{t("how")}
		</a>
	);
	const empty = (
		<Empty
			title={t("emptyTitle")}
			icon={FlaskConical}
			actions={
				<>
					{help}
					{startButton}
				</>
			}
		>
			{t("emptyText")}
		</Empty>
	);
	return (
		<>
			<div className="page-head">
				<PageTitle>{t("title")}</PageTitle>
				{asked.data?.items.length ? (
					<div className="toolbar">
						{help}
						{startButton}
					</div>
				) : null}
			</div>
			<section className="card list" aria-label={t("title")}>
				<Block asked={asked} isEmpty={({ items }) => items.length === 0} empty={empty}>
					{({ items, next }) => (
						<>
							<Sets items={items} />
							<Pages next={next} />
						</>
					)}
				</Block>
			</section>
			{isStarting ? (
				<StartDialog onDone={(id) => go(`/certification/${id}`)} onClose={() => setStarting(false)} />
			) : null}
		</>
	);
}

function Sets({ items }: { readonly items: readonly CheckSetTests[] }) {
	const t = useWords(words);
	const { moment } = useFormat();
	const columns: readonly Column<CheckSetTests>[] = [
		{
			...{ id: "started", title: t("started") },
			cell: ({ id, createdAt, mode, run, maxRuns }) => (
				<>
					<Link href={`/certification/${id}`}>{moment(createdAt)}</Link>
					<span className="invoices-under">
						{[t(mode as "simulate"), `${t("run")} ${t("runOf", { run, max: maxRuns })}`].join(" · ")}
					</span>
				</>
			),
		},
		{
			...{ id: "progress", title: t("progress"), align: "end", onPhone: "beside" },
			cell: ({ progress: { accepted, total } }) => t("accepted", { accepted, total }),
		},
		{ id: "types", title: t("types"), cell: ({ types }) => types.join(", ") },
		{
			id: "status",
			title: t("status"),
			isNarrow: true,
			onPhone: "beside",
			cell: ({ status }) => <SetMark status={status} />,
		},
	];
	return <Table caption={t("title")} columns={columns} rows={items} rowId={({ id }) => id} />;
}
