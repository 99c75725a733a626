/** The state of the tax authority's services, measured by our calls. */
import type { Answer } from "../../api/call";
import { useCall } from "../../api/use-call";
import { useFormat } from "../../app/format";
import { useWords } from "../../app/language";
import { Strip } from "../../kit/charts";
import { PageTitle } from "../../kit/page-title";
import { Block } from "../../kit/states";
import { Status } from "../../kit/status";
import { type Column, Table } from "../../kit/table";
import { words } from "./words";

type Authority = Answer<"getOperatorAuthority">;
type Service = Authority["services"][number];
type State = Authority["status"];

const EVERY_MS = 10_000;
const TONES = { operational: "good", degraded: "warn", maintenance: "warn", outage: "bad", unknown: "plain" } as const;

export default function AuthorityState() {
	const t = useWords(words);
	const asked = useCall("getOperatorAuthority", {}, { everyMs: EVERY_MS });
	return (
		<>
			<div className="page-head">
				<PageTitle>{t("authorityTitle")}</PageTitle>
			</div>
			<p className="soft">{t("authorityText")}</p>
			<Block asked={asked} lines={8}>
				{(state) => <Seen state={state} />}
			</Block>
		</>
	);
}

function Seen({ state }: { readonly state: Authority }) {
	const t = useWords(words);
	const { moment, share, count } = useFormat();
	const ms = (value: number | undefined) => (value === undefined ? "—" : `${count(value)} ms`);
	const columns: readonly Column<Service>[] = [
		{ id: "service", title: t("service"), cell: ({ name }) => t(`service_${name as "reception"}`) },
		{
			...{ id: "state", title: t("state"), onPhone: "beside" },
			cell: ({ status }) => <Status tone={TONES[status]}>{t(status)}</Status>,
		},
		{ id: "since", title: t("since"), isNarrow: true, cell: ({ since }) => moment(since) },
		{ id: "median", title: t("median"), align: "end", cell: ({ p50Ms }) => ms(p50Ms) },
		{ id: "slowest", title: t("slowest"), align: "end", cell: ({ p99Ms }) => ms(p99Ms) },
		{ id: "errors", title: t("errors"), align: "end", cell: ({ errorRate = 0 }) => share(errorRate) },
	];
	const { from, stepSeconds, services } = state.history;
	const past = services.find(({ name }) => name === "overall")?.states ?? [];
	const at = (step: number) => moment(new Date(Date.parse(from) + step * stepSeconds * 1_000).toISOString());
	return (
		<>
			<section className="card card-body stack">
				<dl className="pairs">
					<dt>{t("state")}</dt>
					<dd>
						<Status tone={TONES[state.status]}>{t(state.status)}</Status>
					</dd>
					<dt>{t("since")}</dt>
					<dd>{moment(state.since)}</dd>
					<dt>{t("declared")}</dt>
					<dd>{state.declared.status === "unknown" ? t("unknown") : state.declared.status}</dd>
					<dt>{t("breaker")}</dt>
					<dd>{t(`breaker_${state.breaker as "closed"}`)}</dd>
					<dt>{t("contingency")}</dt>
					<dd>{t(state.contingency ? "yes" : "no")}</dd>
				</dl>
				<Strip
					label={t("lastDay")}
					states={past.map((one, step) => ({ tone: TONES[one as State], text: `${at(step)}: ${t(one as State)}` }))}
				/>
				<span className="soft">{t("lastDay")}</span>
			</section>
			<section className="card" aria-label={t("authorityTitle")}>
				<Table caption={t("authorityTitle")} columns={columns} rows={state.services} rowId={({ name }) => name} />
			</section>
		</>
	);
}
