/** Whether what the company depends on is well: the authority, its endpoints, its sequences. */
import type { Overview } from "../../api/generated";
import { useFormat } from "../../app/format";
import { useWords } from "../../app/language";
import { useHere } from "../../app/session";
import { LinkButton } from "../../kit/button";
import { Strip } from "../../kit/charts";
import { Status, type Tone } from "../../kit/status";
import { Table } from "../../kit/table";
import { words } from "./words";

type Props = { readonly overview: Overview };

const TONES: Readonly<Record<Overview["authority"]["status"], Tone>> = {
	operational: "good",
	degraded: "warn",
	maintenance: "warn",
	outage: "bad",
	unknown: "plain",
};

export function AuthorityStrip({ overview: { authority } }: Props) {
	const t = useWords(words);
	const { moment } = useFormat();
	const { status, since, contingency, historyFrom, stepSeconds, states } = authority;
	const start = new Date(historyFrom).getTime();
	return (
		<section className="card" aria-labelledby="overview-authority">
			<div className="card-head">
				<h2 id="overview-authority">{t("authority")}</h2>
				<Status tone={TONES[status]}>{t(status)}</Status>
			</div>
			<div className="card-body overview-strip">
				<Strip
					label={t("authorityLabel", { status: t(status) })}
					states={states.map((state, at) => ({
						tone: TONES[state],
						text: `${moment(new Date(start + at * stepSeconds * 1_000).toISOString())}: ${t(state)}`,
					}))}
				/>
				<p className="soft">{contingency ? t("contingency") : t("since", { time: moment(since) })}</p>
			</div>
		</section>
	);
}

export function WebhookHealth({ overview: { webhooks } }: Props) {
	const t = useWords(words);
	const { may } = useHere();
	if (webhooks === null) return null;
	return (
		<section className="card" aria-labelledby="overview-webhooks">
			<div className="card-head">
				<h2 id="overview-webhooks">{t("webhooks")}</h2>
			</div>
			{webhooks.length === 0 ? (
				<div className="card-body overview-none">
					<p className="soft">{t("noWebhooks")}</p>
					{may("webhooks:write") ? <LinkButton href="/webhooks">{t("addWebhook")}</LinkButton> : null}
				</div>
			) : (
				<ul className="overview-hooks">
					{webhooks.map(({ webhookId, url, description, status, failing }) => (
						<li key={webhookId}>
							<span className="overview-hook">{description ?? url}</span>
							{status === "enabled" ? (
								<Status tone={failing ? "bad" : "good"}>{t(failing ? "failing" : "healthy")}</Status>
							) : (
								<Status tone="warn">{t("disabled")}</Status>
							)}
						</li>
					))}
				</ul>
			)}
		</section>
	);
}

export function SequenceForecasts({ overview: { sequences } }: Props) {
	const t = useWords(words);
	const { count, day } = useFormat();
	if (sequences === null || sequences.length === 0) return null;
	return (
		<section className="card" aria-labelledby="overview-sequences">
			<div className="card-head">
				<h2 id="overview-sequences">{t("sequences")}</h2>
			</div>
			<Table
				caption={t("sequences")}
				rows={sequences}
				rowId={({ type }) => type}
				columns={[
					{ id: "type", title: t("type"), cell: ({ type }) => <span className="mono">{`E${type}`}</span> },
					{
						...{ id: "ending", title: t("state"), isNarrow: true, onPhone: "beside" },
						cell: ({ ending }) => <Status tone={ending ? "warn" : "good"}>{t(ending ? "ending" : "enough")}</Status>,
					},
					{ id: "available", title: t("available"), align: "end", cell: ({ available }) => count(available) },
					{ id: "rate", title: t("rate"), align: "end", cell: ({ perDay }) => count(perDay) },
					{
						...{ id: "until", title: t("until"), align: "end" },
						cell: ({ exhaustedOn, expiresAt }) => {
							const ends = [exhaustedOn, expiresAt].filter((one) => one !== null).sort()[0];
							return ends === undefined ? t("none") : day(ends);
						},
					},
				]}
			/>
		</section>
	);
}
