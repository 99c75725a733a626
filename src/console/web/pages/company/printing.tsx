/** Paper and logo of printed documents, beside the newest document as it is printed with them. */
import { useQuery } from "@tanstack/react-query";
import { ExternalLink, ImageOff, Printer, Upload } from "lucide-react";
import { useRef, useState } from "react";
import { type CallError, call } from "../../api/call";
import type { Company } from "../../api/generated";
import { callKey, useCall } from "../../api/use-call";
import { useFormat } from "../../app/format";
import { useWords } from "../../app/language";
import { useHere } from "../../app/session";
import { Button } from "../../kit/button";
import { Field, Select } from "../../kit/field";
import { Block, Empty, Refusal } from "../../kit/states";
import { useBlobUrl } from "../invoice/files";
import { ChangeForm, toBase64, useChange } from "./change-form";
import { words } from "./words";

const FORMATS = ["a4", "letter", "thermal_80", "thermal_58"] as const;
type Format = (typeof FORMATS)[number];

export function Printing({ company }: { readonly company: Company }) {
	const t = useWords(words);
	const { printFormat } = company.settings;
	const [format, setFormat] = useState<Format>(printFormat);
	return (
		<div className="company-columns company-print">
			<div className="stack company-start">
				<section className="card">
					<div className="card-head">
						<h2>{t("paper")}</h2>
					</div>
					<div className="card-body">
						<ChangeForm
							company={company}
							toPatch={() => (format === printFormat ? {} : { settings: { printFormat: format } })}
						>
							{(faultAt) => (
								<Field label={t("format")} hint={t("formatHint")} error={faultAt("/settings/printFormat")}>
									<Select
										value={format}
										options={FORMATS.map((value) => ({ value, label: t(value) }))}
										onChange={({ target }) => setFormat(target.value as Format)}
									/>
								</Field>
							)}
						</ChangeForm>
					</div>
				</section>
				<Logo company={company} />
			</div>
			<Preview company={company} format={format} />
		</div>
	);
}

function Logo({ company }: { readonly company: Company }) {
	const t = useWords(words);
	const { may } = useHere();
	const { size } = useFormat();
	const input = useRef<HTMLInputElement>(null);
	const { change, error, isPending } = useChange(company);
	const { present, contentType = "", bytes = 0 } = company.pdfLogo;
	const send = async (file: File | undefined) => {
		if (file) change({ pdfLogo: await toBase64(file) });
	};
	return (
		<section className="card">
			<div className="card-head">
				<h2>{t("logo")}</h2>
			</div>
			<div className="card-body stack">
				<Refusal error={error} />
				<p>
					{present
						? t("logoPresent", { type: contentType.replace("image/", "").toUpperCase(), size: size(bytes) })
						: t("noLogo")}
				</p>
				<p className="soft">{t("logoHint")}</p>
				{may("company:write") ? (
					<div className="toolbar">
						<input
							ref={input}
							type="file"
							accept="image/png,image/jpeg"
							aria-label={t("logoFile")}
							hidden
							onChange={({ target }) => {
								void send(target.files?.[0]);
								// The same file may be chosen again.
								target.value = "";
							}}
						/>
						<Button icon={<Upload aria-hidden />} isBusy={isPending} onClick={() => input.current?.click()}>
							{t(present ? "replaceLogo" : "addLogo")}
						</Button>
						{present ? (
							<Button icon={<ImageOff aria-hidden />} isBusy={isPending} onClick={() => change({ pdfLogo: null })}>
								{t("removeLogo")}
							</Button>
						) : null}
					</div>
				) : null}
			</div>
		</section>
	);
}

type PreviewProps = { readonly company: Company; readonly format: Format };

function Preview({ company, format }: PreviewProps) {
	const t = useWords(words);
	const { may } = useHere();
	const newest = useCall("listInvoices", { query: { limit: 1 } }, { enabled: may("invoices:read") });
	return (
		<section className="card company-preview" aria-label={t("preview")}>
			<div className="card-head">
				<h2>{t("preview")}</h2>
			</div>
			<Block
				asked={newest}
				isEmpty={({ items }) => items.length === 0}
				empty={
					<Empty title={t("nothingToPreview")} icon={Printer}>
						{t("nothingToPreviewText")}
					</Empty>
				}
			>
				{({ items: [first] }) => (first ? <Printed {...first} company={company} format={format} /> : null)}
			</Block>
		</section>
	);
}

type PrintedProps = PreviewProps & { readonly docId: string; readonly encf: string };

function Printed({ company, docId, encf, format }: PrintedProps) {
	const t = useWords(words);
	const input = { path: { docId }, query: { format } };
	const asked = useQuery<Blob, CallError>({
		// The printed form shows the company's logo.
		queryKey: [...callKey("getInvoicePdf", input), company.version],
		queryFn: ({ signal }) => call("getInvoicePdf", input, { signal }),
		placeholderData: (former) => former,
	});
	const url = useBlobUrl(asked.data);
	const canShow = navigator.pdfViewerEnabled && matchMedia("(min-width: 761px)").matches;
	return (
		<Block asked={asked} lines={10}>
			{() => (
				<>
					<div className="toolbar company-tools">
						<span className="soft">{t("previewOf", { encf })}</span>
						{url === undefined ? null : (
							<a className="button button-plain" href={url} target="_blank" rel="noreferrer">
								<ExternalLink aria-hidden />
								{t("open")}
							</a>
						)}
					</div>
					{canShow && url !== undefined ? (
						<iframe className="invoice-pdf" src={`${url}#navpanes=0`} title={t("previewOf", { encf })} />
					) : null}
				</>
			)}
		</Block>
	);
}
