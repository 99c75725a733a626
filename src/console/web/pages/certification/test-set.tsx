/** One test set: how far it is, why it failed, its cases, and what a person can do with it. */
import { useQuery } from "@tanstack/react-query";
import { ChevronLeft, Download, RotateCw, X } from "lucide-react";
import { useState } from "react";
import { Link, useParams } from "wouter";
import { type CallError, call } from "../../api/call";
import type { CheckSetTests, Company } from "../../api/generated";
import { callKey, useCall, useSend } from "../../api/use-call";
import { useFormat } from "../../app/format";
import { useWords } from "../../app/language";
import { useHere } from "../../app/session";
import { Button } from "../../kit/button";
import { SureDialog } from "../../kit/dialog";
import { PageTitle } from "../../kit/page-title";
import { Block, Callout, Prose, Refusal } from "../../kit/states";
import { Status, type Tone } from "../../kit/status";
import { type Column, Table } from "../../kit/table";
import { notify } from "../../kit/toast";
import { useChange } from "../company/change-form";
import { saveFile } from "../invoices/export";
import { TYPES } from "../invoices/filter";
import { useCorrections } from "../issue/places";
import { isRunning, SetMark } from "./certification";
import { words } from "./words";

type Case = CheckSetTests["cases"][number];

const POLL_MS = 1_000;
const RENEWED = ["getCheckSetTests", "listCheckSetTests"] as const;

export default function TestSetPage() {
	const t = useWords(words);
	const { company } = useHere();
	const { id = "" } = useParams<{ id: string }>();
	const input = { path: { id, idCompany: company.tenantId } };
	const asked = useQuery<CheckSetTests, CallError>({
		queryKey: callKey("getCheckSetTests", input),
		queryFn: ({ signal }) => call("getCheckSetTests", input, { signal }),
		refetchInterval: ({ state }) => (state.data && isRunning(state.data) ? POLL_MS : false),
	});
	return (
		<>
			<Link href="/certification" className="invoice-back">
				<ChevronLeft className="icon" aria-hidden />
				{t("title")}
			</Link>
			{asked.data ? null : <PageTitle className="visually-hidden">{t("setTitle")}</PageTitle>}
			<Block asked={asked} lines={8}>
				{(set) => (
					<>
						<Head set={set} />
						<Outcome set={set} />
						<Facts set={set} />
						<Cases set={set} />
					</>
				)}
			</Block>
		</>
	);
}

function Head({ set }: { readonly set: CheckSetTests }) {
	const t = useWords(words);
	const { may } = useHere();
	const [isBusy, setBusy] = useState(false);
	const [isCancelling, setCancelling] = useState(false);
	const cancel = useSend("cancelCheckSetTests", RENEWED);
	const retry = useSend("retryCheckSetTests", RENEWED);
	const { id, idCompany, status, run, maxRuns } = set;
	const path = { id, idCompany };
	const mayWrite = may("certification:write");
	const download = async () => {
		setBusy(true);
		try {
			saveFile(await call("getCheckSetTestsEvidence", { path }), `${id}.zip`);
		} catch (error) {
			notify(t("evidenceFailed"), { type: "bad", description: (error as CallError).problem?.title ?? "" });
		}
		setBusy(false);
	};
	const runAgain = () =>
		retry.mutate({ path, idempotencyKey: crypto.randomUUID() }, { onSuccess: () => notify(t("retryDone")) });
	return (
		<>
			<div className="page-head">
				<div className="invoice-title">
					<PageTitle>{t("setTitle")}</PageTitle>
					<SetMark status={status} />
				</div>
				<div className="toolbar">
					{mayWrite && isRunning(set) ? (
						<Button kind="danger" icon={<X aria-hidden />} onClick={() => setCancelling(true)}>
							{t("cancel")}
						</Button>
					) : null}
					<Button icon={<Download aria-hidden />} isBusy={isBusy} onClick={() => void download()}>
						{t("evidence")}
					</Button>
					{mayWrite && status === "failed" && run < maxRuns ? (
						<Button kind="primary" icon={<RotateCw aria-hidden />} isBusy={retry.isPending} onClick={runAgain}>
							{t("retry")}
						</Button>
					) : null}
				</div>
			</div>
			<Refusal error={cancel.error ?? retry.error} />
			{isCancelling ? (
				<SureDialog
					title={t("cancelTitle")}
					text={t("cancelText")}
					word={t("cancel")}
					onSure={() => {
						cancel.mutate({ path, idempotencyKey: crypto.randomUUID() }, { onSuccess: () => notify(t("cancelDone")) });
						setCancelling(false);
					}}
					onClose={() => setCancelling(false)}
				/>
			) : null}
		</>
	);
}

function useCaseTitle(): (one: Pick<Case, "case" | "title">) => string {
	const t = useWords(words);
	return ({ case: name, title }) => (name in words.es ? t(name as "E31-01") : title);
}

/** What an ended set means for the company. */
function Outcome({ set }: { readonly set: CheckSetTests }) {
	const t = useWords(words);
	const { status, mode, types } = set;
	if (status === "failed") return <Failure set={set} />;
	if (status !== "passed") return null;
	if (mode === "simulate") return <Callout>{t("passedSimulate")}</Callout>;
	if (types.length < TYPES.length) return <Callout>{t("passedPart")}</Callout>;
	return <Certified />;
}

/** What a passed set is for. */
function Certified() {
	const t = useWords(words);
	const { company: here, may } = useHere();
	const { data: company } = useCall("getCompany", { path: { id: here.tenantId } });
	if (!company) return null;
	if (company.authorityEnvironment === "production") return <Callout>{t("isInProduction")}</Callout>;
	return (
		<Callout>
			<span className="toolbar">
				{t("passedAuthority")}
				{may("company:write") ? <ToProduction company={company} /> : null}
			</span>
		</Callout>
	);
}

function ToProduction({ company }: { readonly company: Company }) {
	const t = useWords(words);
	const [isOpen, setOpen] = useState(false);
	const { change, error, isPending } = useChange(company);
	return (
		<>
			<Button isBusy={isPending} onClick={() => setOpen(true)}>
				{t("toProduction")}
			</Button>
			<Refusal error={error} />
			{isOpen ? (
				<SureDialog
					title={t("toProductionTitle")}
					text={t("toProductionText")}
					word={t("toProduction")}
					onSure={() => {
						change({ authorityEnvironment: "production" });
						setOpen(false);
					}}
					onClose={() => setOpen(false)}
				/>
			) : null}
		</>
	);
}

function Failure({ set: { failure, cases, run, maxRuns } }: { readonly set: CheckSetTests }) {
	const t = useWords(words);
	const titleOf = useCaseTitle();
	const correctionsOf = useCorrections();
	const code = failure?.code ?? "";
	const known = useCall("getAuthorityCode", { path: { code } }, { enabled: /^\d+$/.test(code) });
	if (failure === null) return null;
	const name = failure.case;
	const title = titleOf({ case: name ?? "", title: cases.find((one) => one.case === name)?.title ?? "" });
	const { cause, fix: remedy } = known.data ?? {};
	const remedies = [...(remedy === undefined ? [] : [remedy]), ...correctionsOf(failure)];
	return (
		<Callout tone="bad">
			<strong className="invoice-verdict">
				{name === null ? t("failedWhole") : t("failedAt", { case: name, title })}
			</strong>
			<p>
				<Prose text={failure.detail === "" ? t("code", { code }) : failure.detail} />
			</p>
			{cause !== undefined || remedies.length > 0 ? (
				<dl className="pairs invoice-why">
					{cause === undefined ? null : (
						<>
							<dt>{t("cause")}</dt>
							<dd>
								<Prose text={cause} />
							</dd>
						</>
					)}
					{remedies.length === 0 ? null : (
						<>
							<dt>{t("fix")}</dt>
							<dd>
								{remedies.map((text) => (
									<p key={text}>
										<Prose text={text} />
									</p>
								))}
							</dd>
						</>
					)}
				</dl>
			) : null}
			{run < maxRuns ? null : <p>{t("noRunsLeft")}</p>}
		</Callout>
	);
}

function Facts({ set }: { readonly set: CheckSetTests }) {
	const t = useWords(words);
	const { moment } = useFormat();
	const { mode, types, niche, run, maxRuns, progress, createdAt, completedAt, expiresAt } = set;
	const { accepted, total } = progress;
	return (
		<section className="card card-body stack" aria-label={t("facts")}>
			<div role="status" className="stack">
				<strong>{t("accepted", { accepted, total })}</strong>
			</div>
			<progress className="registry-progress" aria-label={t("progress")} max={total} value={accepted} />
			<dl className="pairs">
				<dt>{t("mode")}</dt>
				<dd>{t(mode as "simulate")}</dd>
				<dt>{t("types")}</dt>
				<dd>{types.length === TYPES.length ? t("allTypes") : types.join(", ")}</dd>
				<dt>{t("niche")}</dt>
				<dd>{t(niche as "retail")}</dd>
				<dt>{t("run")}</dt>
				<dd>{t("runOf", { run, max: maxRuns })}</dd>
				<dt>{t("createdAt")}</dt>
				<dd>{moment(createdAt)}</dd>
				<dt>{t(completedAt === null ? "expiresAt" : "completedAt")}</dt>
				<dd>{moment(completedAt ?? expiresAt)}</dd>
			</dl>
		</section>
	);
}

const CASE_TONES: Readonly<Record<string, Tone>> = {
	...{ generated: "plain", pending: "plain", accepted: "good" },
	...{ rejected: "bad", failed: "bad", withdrawn: "plain" },
};

function Cases({ set }: { readonly set: CheckSetTests }) {
	const t = useWords(words);
	const titleOf = useCaseTitle();
	const columns: readonly Column<Case>[] = [
		{
			...{ id: "case", title: t("case") },
			cell: (one) => (
				<>
					{titleOf(one)}
					<span className="invoices-under number">
						{[one.case, one.dependsOn === null ? "" : t("after", { case: one.dependsOn })].filter(Boolean).join(" · ")}
					</span>
				</>
			),
		},
		{
			...{ id: "number", title: t("number"), isNarrow: true, onPhone: "plain" },
			cell: ({ encf, docId }) =>
				docId === null ? (
					<span className="number">{encf}</span>
				) : (
					<Link href={`/invoices/${docId}`} className="number">
						{encf}
					</Link>
				),
		},
		{
			...{ id: "status", title: t("status"), isNarrow: true, onPhone: "beside" },
			cell: ({ status }) => <Status tone={CASE_TONES[status] ?? "plain"}>{t(`case_${status as "accepted"}`)}</Status>,
		},
	];
	return (
		<section className="card list" aria-labelledby="certification-cases">
			<div className="card-head">
				<h2 id="certification-cases">{t("cases")}</h2>
			</div>
			{set.cases.length === 0 ? (
				<p className="soft card-body">{t("noCases")}</p>
			) : (
				<Table caption={t("cases")} columns={columns} rows={set.cases} rowId={(one) => one.case} />
			)}
		</section>
	);
}
