/** Files with the sealed documents of a period, made by the service. */
import { useQuery } from "@tanstack/react-query";
import { Archive, Download } from "lucide-react";
import { type Answer, type CallError, call } from "../../api/call";
import type { ListArchiveExportsAnswer } from "../../api/generated";
import { callKey, useSend } from "../../api/use-call";
import { useFormat } from "../../app/format";
import { useWords } from "../../app/language";
import { Button } from "../../kit/button";
import { Block, Empty, Refusal } from "../../kit/states";
import { Status, type Tone } from "../../kit/status";
import { type Column, Table } from "../../kit/table";
import { notify } from "../../kit/toast";
import { pathOf } from "../invoices/export";
import type { Period } from "./reports";
import { words } from "./words";

type Export = ListArchiveExportsAnswer["items"][number];

const TONES: Readonly<Record<Export["status"], Tone>> = {
	...{ queued: "plain", running: "plain", ready: "good", failed: "bad", expired: "warn" },
};
const SHOWN_MAX = 10;
const POLL_MS = 1_000;

export function Exports({ period }: { readonly period: Period }) {
	const t = useWords(words);
	const { month } = useFormat();
	const order = useSend("createArchiveExport", ["listArchiveExports"]);
	const input = { query: { limit: SHOWN_MAX } };
	const asked = useQuery<Answer<"listArchiveExports">, CallError>({
		queryKey: callKey("listArchiveExports", input),
		queryFn: ({ signal }) => call("listArchiveExports", input, { signal }),
		refetchInterval: ({ state }) => {
			const isAtWork = state.data?.items.some(({ status }) => status === "queued" || status === "running");
			return isAtWork ? POLL_MS : false;
		},
	});
	const start = () =>
		order.mutate(
			{ body: { ...period, format: "zip" }, idempotencyKey: crypto.randomUUID() },
			{ onSuccess: () => notify(t("ordered")) },
		);
	return (
		<section className="card reports-exports" aria-labelledby="exports">
			<div className="card-head">
				<h2 id="exports">{t("exports")}</h2>
				<Button icon={<Archive aria-hidden />} isBusy={order.isPending} onClick={start}>
					{t("order", { month: month(period.from.slice(0, 7)) })}
				</Button>
			</div>
			<Refusal error={order.error} />
			<Block
				asked={asked}
				isEmpty={({ items }) => items.length === 0}
				empty={
					<Empty title={t("noExports")} icon={Archive}>
						{t("noExportsText")}
					</Empty>
				}
			>
				{({ items }) => <ExportTable items={items} />}
			</Block>
		</section>
	);
}

function ExportTable({ items }: { readonly items: readonly Export[] }) {
	const t = useWords(words);
	const { count, day, moment, size } = useFormat();
	const columns: readonly Column<Export>[] = [
		{
			...{ id: "days", title: t("days") },
			cell: ({ from, to, chosen, format }) =>
				t(chosen ? "chosen" : "fromTo", { from: day(from), to: day(to), format: format.toUpperCase() }),
		},
		{ id: "count", title: t("count"), align: "end", cell: ({ documents }) => count(documents) },
		{ id: "ordered", title: t("orderedAt"), isNarrow: true, cell: ({ createdAt }) => moment(createdAt) },
		{
			...{ id: "status", title: t("status"), isNarrow: true },
			cell: ({ status }) => <Status tone={TONES[status]}>{t(status)}</Status>,
		},
		{
			...{ id: "file", title: t("file"), isNarrow: true, onPhone: "beside" },
			cell: ({ status, url, bytes, failure, from }) =>
				status === "ready" && url !== null ? (
					<a className="button button-plain" href={pathOf(url)} download>
						<Download aria-hidden />
						{size(bytes ?? 0)}
						<span className="visually-hidden">{t("downloadOf", { from: day(from) })}</span>
					</a>
				) : (
					(failure?.detail ?? null)
				),
		},
	];
	return <Table caption={t("exports")} columns={columns} rows={items} rowId={({ exportId }) => exportId} />;
}
