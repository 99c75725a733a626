/** The files of an invoice: its printed form and its signed XML. */
import { useQuery } from "@tanstack/react-query";
import { Copy, Download, ExternalLink, Printer } from "lucide-react";
import { useEffect, useRef, useState } from "react";
import { type CallError, call } from "../../api/call";
import type { Invoice } from "../../api/generated";
import { callKey } from "../../api/use-call";
import { useFormat } from "../../app/format";
import { useWords } from "../../app/language";
import { Button } from "../../kit/button";
import { Field, Select } from "../../kit/field";
import { Block } from "../../kit/states";
import { notify } from "../../kit/toast";
import { saveFile } from "../invoices/export";
import { words } from "./words";

const FORMATS = ["a4", "letter", "thermal_80", "thermal_58"] as const;
/** A longer text makes the page slow. */
const SHOWN_MAX = 200_000;

export function DocumentTab({ invoice: { docId, encf, status } }: { readonly invoice: Invoice }) {
	const t = useWords(words);
	const [format, setFormat] = useState<(typeof FORMATS)[number]>("a4");
	const input = { path: { docId }, query: { format } };
	const asked = useQuery<Blob, CallError>({
		// The printed form says how the invoice stands.
		queryKey: [...callKey("getInvoicePdf", input), status],
		queryFn: ({ signal }) => call("getInvoicePdf", input, { signal }),
	});
	const url = useBlobUrl(asked.data);
	const frame = useRef<HTMLIFrameElement>(null);
	// Phones show a PDF file in a view of its own.
	const canShow = navigator.pdfViewerEnabled && matchMedia("(min-width: 641px)").matches;
	return (
		<>
			<div className="toolbar invoice-tools">
				<Field label={t("format")} hidesLabel>
					<Select
						value={format}
						onChange={({ target }) => setFormat(target.value as typeof format)}
						options={FORMATS.map((value) => ({ value, label: t(value) }))}
					/>
				</Field>
				{url === undefined || asked.data === undefined ? null : (
					<>
						<a className="button button-plain" href={url} target="_blank" rel="noreferrer">
							<ExternalLink aria-hidden />
							{t("open")}
						</a>
						{canShow ? (
							<Button icon={<Printer aria-hidden />} onClick={() => frame.current?.contentWindow?.print()}>
								{t("print")}
							</Button>
						) : null}
						<Save file={asked.data} name={`${encf}.pdf`} />
					</>
				)}
			</div>
			<Block asked={asked} lines={10}>
				{() =>
					canShow && url !== undefined ? (
						<iframe ref={frame} className="invoice-pdf" src={`${url}#navpanes=0`} title={t("preview", { encf })} />
					) : null
				}
			</Block>
		</>
	);
}

/** An address of the file for as long as it is shown. */
export function useBlobUrl(file: Blob | undefined): string | undefined {
	const [url, setUrl] = useState<string>();
	useEffect(() => {
		if (file === undefined) return undefined;
		const made = URL.createObjectURL(file);
		setUrl(made);
		return () => {
			setUrl(undefined);
			URL.revokeObjectURL(made);
		};
	}, [file]);
	return url;
}

function Save({ file, name }: { readonly file: Blob; readonly name: string }) {
	const t = useWords(words);
	return (
		<Button icon={<Download aria-hidden />} onClick={() => saveFile(file, name)}>
			{t("download")}
		</Button>
	);
}

export function XmlTab({ invoice: { docId, encf } }: { readonly invoice: Invoice }) {
	const t = useWords(words);
	const { count } = useFormat();
	const input = { path: { docId } };
	const asked = useQuery<{ readonly file: Blob; readonly text: string }, CallError>({
		queryKey: callKey("getInvoiceXml", input),
		queryFn: async ({ signal }) => {
			const file = await call("getInvoiceXml", input, { signal });
			return { file, text: await file.text() };
		},
	});
	return (
		<Block asked={asked} lines={10}>
			{({ file, text }) => {
				const isCut = text.length > SHOWN_MAX;
				return (
					<>
						<div className="toolbar invoice-tools">
							<Button
								icon={<Copy aria-hidden />}
								onClick={() => void navigator.clipboard.writeText(text).then(() => notify(t("copied")))}
							>
								{t("copyText")}
							</Button>
							<Save file={file} name={`${encf}.xml`} />
						</div>
						<p className="soft invoice-note">{t(isCut ? "xmlCut" : "xmlSpaces", { count: count(SHOWN_MAX) })}</p>
						<section
							className="invoice-xml"
							aria-label={t("xmlLabel", { encf })}
							// biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reachable by keyboard
							tabIndex={0}
						>
							<pre>{toLines(text.slice(0, SHOWN_MAX))}</pre>
						</section>
					</>
				);
			}}
		</Block>
	);
}

/** One element a line, further in than its parent. The text is cut between elements only. */
function toLines(xml: string) {
	let depth = 0;
	const lines = xml.replaceAll(/>\s*</g, ">\n<").split("\n");
	return lines.map((line, at) => {
		const isEnd = line.startsWith("</");
		if (isEnd) depth = Math.max(0, depth - 1);
		const indent = "  ".repeat(depth);
		const isStart = /^<[^/?!]/.test(line) && !line.endsWith("/>") && !/<\/[^>]+>$/.test(line);
		if (isStart) depth += 1;
		const [, open = "", content = "", close = ""] = /^(<[^>]*>)([^<]*)(<\/[^>]*>)?$/.exec(line) ?? ["", "", line];
		return (
			// biome-ignore lint/suspicious/noArrayIndexKey: a line is its place in the text
			<span key={at}>
				{indent}
				<span className="soft">{open}</span>
				{content}
				<span className="soft">{close}</span>
				{"\n"}
			</span>
		);
	});
}
