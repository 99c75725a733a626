/** What a block shows in place of its data: nothing yet, nothing at all, or why it failed. */
import {
	CircleX,
	CloudOff,
	FileQuestionMark,
	Inbox,
	Info,
	type LucideIcon,
	SearchX,
	TriangleAlert,
} from "lucide-react";
import type { ReactNode } from "react";
import { useSearchParams } from "wouter";
import type { CallError, Fault, Problem } from "../api/call";
import { useOnline } from "../api/use-call";
import { useFormat } from "../app/format";
import { useWords } from "../app/language";
import { Button, LinkButton } from "./button";
import { PageTitle } from "./page-title";
import { kitWords } from "./words";

/** Appears after 200 ms, so that a fast answer does not flicker. */
export function Skeleton({ lines = 4 }: { readonly lines?: number }) {
	const t = useWords(kitWords);
	return (
		<div className="skeleton" role="status" aria-label={t("loading")}>
			{Array.from({ length: lines }, (_, line) => (
				// biome-ignore lint/suspicious/noArrayIndexKey: the lines are all alike
				<span key={line} />
			))}
		</div>
	);
}

type EmptyProps = {
	readonly title: string;
	/** It stands in place of a whole page. */
	readonly isPage?: boolean;
	readonly icon?: LucideIcon;
	/** What to do next. */
	readonly children?: ReactNode;
	readonly actions?: ReactNode;
};

export function Empty({ title, isPage = false, icon: Icon = Inbox, children, actions }: EmptyProps) {
	return (
		<div className="notice">
			<Icon aria-hidden />
			{isPage ? <PageTitle className="notice-title">{title}</PageTitle> : <h3>{title}</h3>}
			{children ? <p>{children}</p> : null}
			{actions ? <div className="notice-actions">{actions}</div> : null}
		</div>
	);
}

type NoneFoundProps = {
	readonly title: string;
	/** What was asked for, such as `["Status", "Rejected"]`; those without a value are not set. */
	readonly filters: readonly (readonly [name: string, value: string | null | undefined])[];
	readonly onClear: () => void;
};

/** A list that filters leave nothing of. */
export function NoneFound({ title, filters, onClear }: NoneFoundProps) {
	const t = useWords(kitWords);
	const set = filters.flatMap(([name, value]) => (value ? [`${name}: ${value}`] : []));
	return (
		<Empty title={title} icon={SearchX} actions={<Button onClick={onClear}>{t("clearFilters")}</Button>}>
			{set.join(" · ")}
		</Empty>
	);
}

/** A list of thousands may have a hundred. */
const FAULTS_SHOWN = 5;

/** The parameter of the address that a fault is about. */
const parameterOf = ({ pointer }: Fault) => /^#\/query\/(\w+)$/.exec(pointer)?.[1];

/** The number of faults means nothing to a person; the faults do. */
export function textOf({ title, detail = title, advice, errors = [] }: Problem): string {
	const faults = errors.map((one) => {
		const parameter = parameterOf(one);
		return parameter === undefined ? one.detail : `\`${parameter}\`: ${one.detail}`;
	});
	const shown = faults.length > FAULTS_SHOWN ? [...faults.slice(0, FAULTS_SHOWN), "…"] : faults;
	return [...(shown.length > 0 ? shown : [detail]), advice].filter(Boolean).join(" ");
}

type ErrorBlockProps = { readonly error: CallError; readonly onRetry?: () => void };

/** The same call stays refused: it is faulty, or what it names is not there. */
const FINAL_STATUSES = [400, 404, 410, 422];

/** The problem in the person's language, with the request id that support asks for. */
export function ErrorBlock({ error, onRetry }: ErrorBlockProps) {
	const t = useWords(kitWords);
	const { problem, requestId } = error;
	const [params, setParams] = useSearchParams();
	const refused = (problem?.errors ?? []).map(parameterOf).filter((name) => name !== undefined && params.has(name));
	const dropRefused = () => {
		const kept = [...params].filter(([name]) => name !== "after" && !refused.includes(name));
		setParams(kept, { replace: true });
	};
	const Icon = problem ? TriangleAlert : CloudOff;
	return (
		<div className="notice" role="alert">
			<Icon aria-hidden />
			<h3>{problem?.title ?? t("offline")}</h3>
			<p>
				<Prose text={problem ? textOf(problem) : t("offlineText")} />
			</p>
			{requestId ? <p className="mono">{t("requestId", { id: requestId })}</p> : null}
			{onRetry && !FINAL_STATUSES.includes(problem?.status ?? 0) ? (
				<div className="notice-actions">
					<Button onClick={onRetry}>{t("retry")}</Button>
				</div>
			) : null}
			{refused.length > 0 ? (
				<div className="notice-actions">
					<Button onClick={dropRefused}>{t(refused.length > 1 ? "dropFilters" : "dropFilter")}</Button>
				</div>
			) : null}
		</div>
	);
}

/** A sentence of the service, in which `backticks` mark what is code. */
export function Prose({ text }: { readonly text: string }) {
	return text.split("`").map((piece, at) =>
		// biome-ignore lint/suspicious/noArrayIndexKey: a piece is its place in the sentence
		at % 2 === 1 ? <code key={at}>{piece}</code> : piece,
	);
}

/** The part of a query that a block needs; `useCall` gives it. */
export type Asked<Data> = {
	readonly data: Data | undefined;
	readonly error: CallError | null;
	/** Milliseconds since 1970. */
	readonly dataUpdatedAt: number;
	readonly refetch: () => unknown;
};

type BlockProps<Data> = {
	readonly asked: Asked<Data>;
	readonly lines?: number;
	/** Shown instead of the data if it is empty. */
	readonly isEmpty?: (data: Data) => boolean;
	readonly empty?: ReactNode;
	/** Shown instead of a refusal if there is no such thing. */
	readonly missing?: ReactNode;
	readonly children: (data: Data) => ReactNode;
};

/** A block with all its states. Data that was shown stays when a renewal fails, and without a connection. */
export function Block<Data>({ asked, lines, isEmpty, empty, missing, children }: BlockProps<Data>) {
	const t = useWords(kitWords);
	const isOnline = useOnline();
	const { moment } = useFormat();
	const { data, error, dataUpdatedAt, refetch } = asked;
	if (data !== undefined) {
		const time = moment(new Date(dataUpdatedAt).toISOString());
		return (
			<>
				{error || !isOnline ? (
					<Callout tone="warn">{`${error?.problem?.title ?? t("offline")}. ${t("lastAt", { time })}`}</Callout>
				) : null}
				{isEmpty?.(data) ? empty : children(data)}
			</>
		);
	}
	if (missing && error?.problem?.status === 404) return missing;
	if (error) return <ErrorBlock error={error} onRetry={() => void refetch()} />;
	return <Skeleton {...(lines === undefined ? {} : { lines })} />;
}

type MissingProps = {
	readonly title: string;
	/** Of the list that would have it. */
	readonly href: string;
};

/** In place of a document that the company does not have. */
export function Missing({ title, href }: MissingProps) {
	const t = useWords(kitWords);
	return (
		<Empty title={title} icon={FileQuestionMark} actions={<LinkButton href={href}>{t("toList")}</LinkButton>}>
			{t("notHere")}
		</Empty>
	);
}

const CALLOUT_ICONS = { plain: Info, warn: TriangleAlert, bad: CircleX } as const;

type CalloutProps = { readonly tone?: keyof typeof CALLOUT_ICONS; readonly children: ReactNode };

/** A sentence that must be seen. A bad one is read out when it appears. */
export function Callout({ tone = "plain", children }: CalloutProps) {
	const Icon = CALLOUT_ICONS[tone];
	return (
		<div className={`callout callout-${tone}`} role={tone === "bad" ? "alert" : "status"}>
			<Icon aria-hidden />
			<div>{children}</div>
		</div>
	);
}

/** Why the service refused; a person who closed the request for a factor knows why. */
export function Refusal({ error }: { readonly error: CallError | null }) {
	const t = useWords(kitWords);
	if (!error || error.slug === "confirmation-required") return null;
	const { problem } = error;
	return (
		<Callout tone="bad">
			<Prose text={problem ? textOf(problem) : t("offlineText")} />
		</Callout>
	);
}
