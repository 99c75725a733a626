/** What the service says of a draft before it is issued: a dry run soon after the last change. */
import { useCallback, useEffect, useRef, useState } from "react";
import { CallError, call } from "../../api/call";
import type { DryRun, InvoiceRequest } from "../../api/generated";
import { useOnline } from "../../api/use-call";
import { useLanguage } from "../../app/language";

const PAUSE_MS = 400;

export type Finding = {
	readonly pointer: string;
	readonly detail: string;
	readonly isFault: boolean;
};

export type Check = {
	/** A change is not checked yet. */
	readonly isChecking: boolean;
	/** The last answer, of this draft or an earlier state of it. */
	readonly report?: DryRun | undefined;
	readonly error?: CallError | undefined;
};

/** Asks anew 400 ms after the last change; `body` undefined: there is nothing to check yet. */
export function useCheck(body: InvoiceRequest | undefined, key: string) {
	const language = useLanguage();
	const isOnline = useOnline();
	const text = body === undefined ? "" : JSON.stringify(body);
	const asked = `${language} ${text}`;
	const [state, setState] = useState<{ of: string; report?: DryRun; error?: CallError }>({ of: "" });
	const [turn, setTurn] = useState(0);
	const latest = useRef(asked);
	latest.current = asked;
	// biome-ignore lint/correctness/useExhaustiveDependencies: a new turn asks again, and so does the connection when it comes or goes
	useEffect(() => {
		if (text === "") return undefined;
		const ending = new AbortController();
		const timer = setTimeout(async () => {
			try {
				const answer = await call(
					"postInvoice",
					{ query: { dry_run: true }, body: JSON.parse(text) as InvoiceRequest, idempotencyKey: key },
					{ signal: ending.signal },
				);
				if ("dryRun" in answer) setState({ of: asked, report: answer });
			} catch (error) {
				if (!ending.signal.aborted && error instanceof CallError) setState({ of: asked, error });
			}
		}, PAUSE_MS);
		return () => {
			clearTimeout(timer);
			ending.abort();
		};
	}, [text, asked, key, turn, isOnline]);
	const again = useCallback(() => setTurn((former) => former + 1), []);
	/** A refusal of issuing counts as the answer. */
	const refuse = useCallback((error: CallError) => setState({ of: latest.current, error }), []);
	const check: Check = text === "" ? { isChecking: false } : { ...state, isChecking: state.of !== asked };
	return { check, again, refuse };
}

/** Faults and warnings, with the service's words. */
export function listFindings({ report, error }: Check, language: "es" | "en"): readonly Finding[] {
	const faults = (error?.problem?.errors ?? []).map(({ pointer, detail }) => ({ pointer, detail, isFault: true }));
	const warnings = (report?.warnings ?? []).map(({ pointer, detail, detailEs, verdict }) => ({
		...{ pointer, detail: language === "es" ? (detailEs ?? detail) : detail, isFault: verdict === "rejected" },
	}));
	return [...faults, ...warnings];
}

export type Outlook =
	| "nothing"
	| "checking"
	| "accepted"
	| "conditional"
	| "rejected"
	| "faulty"
	| "repeated"
	| "failed";

/** The verdict that the authority would give, as far as the service can know it. */
export function foresee({ isChecking, report, error }: Check): Outlook {
	if (isChecking) return "checking";
	if (error) {
		if (error.slug === "known-rejection") return "rejected";
		return (error.problem?.errors?.length ?? 0) > 0 ? "faulty" : "failed";
	}
	if (!report) return "nothing";
	if (report.duplicateOf !== null) return "repeated";
	const verdicts = report.warnings.map(({ verdict }) => verdict);
	return verdicts.includes("rejected") ? "rejected" : verdicts.includes("conditional") ? "conditional" : "accepted";
}
