/** What a block shows in place of its data: nothing yet, nothing at all, or why it failed. */
import { CircleX, CloudOff, Inbox, Info, type LucideIcon, TriangleAlert } from "lucide-react";
import type { ReactNode } from "react";
import type { CallError, Problem } from "../api/call";
import { useFormat } from "../app/format";
import { useWords } from "../app/language";
import { Button } from "./button";
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

/** The number of faults means nothing to a person; the faults do. */
export function textOf({ detail, advice, errors = [] }: Problem): string {
	const faults = errors.map((one) => one.detail);
	return [...(faults.length > 0 ? faults : [detail]), advice].filter(Boolean).join(" ");
}

type ErrorBlockProps = { readonly error: CallError; readonly onRetry?: () => void };

/** The same call stays refused: it is faulty, or what it names is not there. */
const FINAL_STATUSES = [400, 404, 410, 422];

/** The problem in the person's language, with the request id that support asks for. */
export function ErrorBlock({ error, onRetry }: ErrorBlockProps) {
	const t = useWords(kitWords);
	const { problem, requestId } = error;
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
	readonly children: (data: Data) => ReactNode;
};

/** A block with all its states. Data that was shown stays when a renewal fails. */
export function Block<Data>({ asked, lines, isEmpty, empty, children }: BlockProps<Data>) {
	const t = useWords(kitWords);
	const { moment } = useFormat();
	const { data, error, dataUpdatedAt, refetch } = asked;
	if (data !== undefined) {
		const time = moment(new Date(dataUpdatedAt).toISOString());
		return (
			<>
				{error ? (
					<Callout tone="warn">{`${error.problem?.title ?? t("offline")}. ${t("lastAt", { time })}`}</Callout>
				) : null}
				{isEmpty?.(data) ? empty : children(data)}
			</>
		);
	}
	if (error) return <ErrorBlock error={error} onRetry={() => void refetch()} />;
	return <Skeleton {...(lines === undefined ? {} : { lines })} />;
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
	if (!error || error.slug === "confirmation-required") return null;
	const { problem, message } = error;
	return (
		<Callout tone="bad">
			<Prose text={problem?.errors?.[0]?.detail ?? problem?.detail ?? problem?.title ?? message} />
		</Callout>
	);
}
