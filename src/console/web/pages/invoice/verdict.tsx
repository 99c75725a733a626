/** Why an invoice stands as it does, and what to do about it. */
import type { ReactNode } from "react";
import { Link } from "wouter";
import type { Invoice, InvoiceStatus as Standing } from "../../api/generated";
import { useCall } from "../../api/use-call";
import { useFormat } from "../../app/format";
import { useWords } from "../../app/language";
import { Callout, Prose } from "../../kit/states";
import { useCorrections } from "../issue/places";
import { words } from "./words";

type Found = { readonly invoice: Invoice; readonly standing: Standing };

export function Verdict({ invoice, standing }: Found) {
	if (standing.status === "pending") return <Pending standing={standing} />;
	if (standing.status === "failed") return <Failed invoice={invoice} standing={standing} />;
	if (standing.status === "rejected") return <Rejected invoice={invoice} standing={standing} />;
	return <Remarks standing={standing} />;
}

const PHASES = {
	queued: "pendingQueued",
	held: "pendingHeld",
	sending: "pendingSending",
	unconfirmed: "pendingUnconfirmed",
	tracking: "pendingTracking",
} as const;

function Pending({ standing: { phase, nextAttemptAt, contingency } }: { readonly standing: Standing }) {
	const t = useWords(words);
	const { moment, clock } = useFormat();
	return (
		<Callout tone={contingency?.active ? "warn" : "plain"}>
			{contingency?.active
				? t("contingency", { since: moment(contingency.since) })
				: t(PHASES[phase as keyof typeof PHASES] ?? "pendingQueued")}{" "}
			{nextAttemptAt === null ? null : t("nextAttempt", { time: clock(nextAttemptAt) })}
		</Callout>
	);
}

const FAILURES = [
	...(["internal-failure", "authority-timeout-72h", "authority-timeout-24h"] as const),
	...(["certificate-missing", "reference-undecided", "reference-rejected"] as const),
];

function Failed({ invoice, standing: { failure } }: Found) {
	const t = useWords(words);
	const known = FAILURES.find((code) => code === failure?.code);
	return (
		<Callout tone="bad">
			<Title>{t("failed")}</Title>
			<Reissued invoice={invoice} />
			{known === undefined ? <Prose text={[failure?.code, failure?.detail].join(": ")} /> : <p>{t(known)}</p>}
		</Callout>
	);
}

function Rejected({ invoice, standing }: Found) {
	const t = useWords(words);
	const correctionsOf = useCorrections();
	const { authority, advice = [], fix = [] } = standing;
	const { code, messages = [] } = authority;
	const known = useCall("getAuthorityCode", { path: { code: code ?? "" } }, { enabled: code !== undefined });
	const { title, cause, fix: remedy } = known.data ?? {};
	return (
		<Callout tone="bad">
			<Title>{code === undefined ? t("rejectedPlain") : t("rejected", { code })}</Title>
			<Reissued invoice={invoice} />
			<p>{title ?? authority.title}</p>
			<dl className="pairs invoice-why">
				<Pair title={t("messages")} texts={messages.map((one) => `${one.code}: ${one.text}`)} />
				<Pair title={t("cause")} texts={cause === undefined ? [] : [cause]} />
				<Pair title={t("fix")} texts={remedy === undefined ? [] : [remedy]} />
				<Pair title={t("advice")} texts={correctionsOf({ fix, advice })} />
			</dl>
		</Callout>
	);
}

/** Accepted documents may have remarks of the authority. */
function Remarks({ standing: { authority } }: { readonly standing: Standing }) {
	const t = useWords(words);
	const remarks = [...(authority.warnings ?? []), ...(authority.messages ?? [])].filter(({ text }) => text !== "");
	if (remarks.length === 0 || authority.code === "1") return null;
	return (
		<Callout tone="warn">
			<Title>{t("conditional")}</Title>
			<ul>
				{remarks.map(({ code, text }) => (
					<li key={`${code} ${text}`}>{`${code}: ${text}`}</li>
				))}
			</ul>
		</Callout>
	);
}

/** The document that was issued again in place of this one. */
function Reissued({ invoice: { replacedBy } }: Pick<Found, "invoice">) {
	const t = useWords(words);
	if (replacedBy === null) return null;
	const { docId, encf } = replacedBy;
	return (
		<p>
			<Link href={`/invoices/${docId}`}>{t("reissued", { encf })}</Link>
		</p>
	);
}

function Title({ children }: { readonly children: ReactNode }) {
	return <strong className="invoice-verdict">{children}</strong>;
}

function Pair({ title, texts }: { readonly title: string; readonly texts: readonly string[] }) {
	if (texts.length === 0) return null;
	return (
		<>
			<dt>{title}</dt>
			<dd>
				{texts.map((text) => (
					<p key={text}>
						<Prose text={text} />
					</p>
				))}
			</dd>
		</>
	);
}
