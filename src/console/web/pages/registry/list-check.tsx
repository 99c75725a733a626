/** A list of taxpayers, from a file or pasted, is compared with the registry; the result is a file again. */
import { useQuery } from "@tanstack/react-query";
import { Download, ListChecks } from "lucide-react";
import { useState } from "react";
import { useSearchParams } from "wouter";
import { type CallError, call } from "../../api/call";
import type { RegistryCheck } from "../../api/generated";
import { callKey, useSend } from "../../api/use-call";
import { useFormat } from "../../app/format";
import { useWords } from "../../app/language";
import { Button, FileButton } from "../../kit/button";
import { Field, TextArea } from "../../kit/field";
import { Block, Refusal } from "../../kit/states";
import { Status, type Tone } from "../../kit/status";
import { useSetParam } from "../../kit/table";
import { notify } from "../../kit/toast";
import { saveFile } from "../invoices/export";
import { words } from "./words";

const VERDICTS = [
	...([
		["found", "good"],
		["inactive", "warn"],
		["name_differs", "warn"],
	] as const),
	...([
		["ambiguous", "warn"],
		["not_found", "bad"],
		["invalid", "bad"],
		["duplicate", "plain"],
	] as const),
] satisfies readonly (readonly [keyof RegistryCheck["counts"], Tone])[];
const POLL_MS = 500;

export function ListCheck() {
	const t = useWords(words);
	const [params] = useSearchParams();
	const checkId = params.get("check");
	const [text, setText] = useState("");
	const send = useSend("createRegistryCheck");
	const set = useSetParam();
	const show = (id: string | null) => set("check", id);
	/** The service finds out itself what the bytes are; browsers guess by the file's name. */
	const start = (list: Blob) =>
		send.mutate(
			{ body: new Blob([list], { type: "application/octet-stream" }), idempotencyKey: crypto.randomUUID() },
			{ onSuccess: ({ check_id }) => show(check_id) },
		);
	return (
		<section className="card registry-list" aria-label={t("listTitle")}>
			<div className="card-head">
				<h2>{t("listTitle")}</h2>
			</div>
			<div className="card-body stack">
				{checkId === null ? (
					<>
						<p className="soft">{t("listText")}</p>
						<FileButton kind="primary" accept=".csv,.tsv,.txt,.xlsx" isBusy={send.isPending} onFile={start}>
							{t("chooseFile")}
						</FileButton>
						<Field label={t("paste")} hint={t("pasteHint")}>
							<TextArea rows={5} value={text} spellCheck={false} onChange={({ target }) => setText(target.value)} />
						</Field>
						<Button
							icon={<ListChecks aria-hidden />}
							isBusy={send.isPending}
							disabled={text.trim() === ""}
							onClick={() => start(new Blob([text]))}
						>
							{t("check")}
						</Button>
						<Refusal error={send.error} />
					</>
				) : (
					<Result checkId={checkId} onAgain={() => show(null)} />
				)}
			</div>
		</section>
	);
}

function Result({ checkId, onAgain }: { readonly checkId: string; readonly onAgain: () => void }) {
	const t = useWords(words);
	const { count } = useFormat();
	const input = { path: { checkId } };
	const asked = useQuery<RegistryCheck, CallError>({
		queryKey: callKey("getRegistryCheck", input),
		queryFn: ({ signal }) => call("getRegistryCheck", input, { signal }),
		refetchInterval: ({ state }) => (state.data?.status === "running" ? POLL_MS : false),
	});
	const again = <Button onClick={onAgain}>{t("another")}</Button>;
	return (
		<>
			<Block asked={asked} lines={7}>
				{({ status, rows, done, counts }) => (
					<>
						<div role="status" className="stack">
							<strong>
								{status === "running"
									? t("running", { done: count(done), rows: count(rows) })
									: status === "done"
										? t("done", { rows: count(rows) })
										: t("failed")}
							</strong>
						</div>
						{status === "running" ? (
							<progress className="registry-progress" aria-label={t("progress")} max={rows} value={done} />
						) : null}
						{status === "failed" ? null : (
							<ul className="registry-counts">
								{VERDICTS.map(([verdict, tone]) => (
									<li key={verdict}>
										<Status tone={counts[verdict] === 0 ? "plain" : tone}>{t(verdict)}</Status>
										<span className="number">{count(counts[verdict])}</span>
									</li>
								))}
							</ul>
						)}
						{status === "done" ? <Downloads checkId={checkId} /> : null}
					</>
				)}
			</Block>
			{again}
		</>
	);
}

function Downloads({ checkId }: { readonly checkId: string }) {
	const t = useWords(words);
	const [busy, setBusy] = useState<"csv" | "xlsx">();
	const download = async (format: "csv" | "xlsx") => {
		setBusy(format);
		try {
			saveFile(
				await call("downloadRegistryCheck", { path: { checkId }, query: { format } }),
				`${t("resultName")}.${format}`,
			);
		} catch (error) {
			notify(t("downloadFailed"), { type: "bad", description: (error as CallError).problem?.title ?? "" });
		}
		setBusy(undefined);
	};
	return (
		<div className="toolbar">
			<Button
				kind="primary"
				icon={<Download aria-hidden />}
				isBusy={busy === "csv"}
				onClick={() => void download("csv")}
			>
				{t("csv")}
			</Button>
			<Button icon={<Download aria-hidden />} isBusy={busy === "xlsx"} onClick={() => void download("xlsx")}>
				{t("xlsx")}
			</Button>
		</div>
	);
}
