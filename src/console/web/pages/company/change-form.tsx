/** A form that changes some members of the company, and what it needs: the version that was read, and its faults beside the inputs. */
import { useQueryClient } from "@tanstack/react-query";
import { type FormEvent, type ReactNode, useState } from "react";
import type { Company, PatchCompany } from "../../api/generated";
import { callKey, useSend } from "../../api/use-call";
import { useWords } from "../../app/language";
import { useHere } from "../../app/session";
import { Button } from "../../kit/button";
import { Refusal } from "../../kit/states";
import { notify } from "../../kit/toast";
import { words } from "./words";

/** Changes the version of the company that the page shows, so that no one's newer change is lost. */
export function useChange({ tenantId, version }: Company) {
	const t = useWords(words);
	const client = useQueryClient();
	const send = useSend("patchCompany", ["getCompany", "listCertificates", "listAudit"]);
	const change = (body: PatchCompany) => {
		const input = { path: { id: tenantId }, body, ifMatch: `"${version}"`, idempotencyKey: crypto.randomUUID() };
		send.mutate(input, {
			onSuccess: () => {
				notify(t("saved"));
				// The shell shows the company's name.
				void client.invalidateQueries({ queryKey: ["me"] });
			},
		});
	};
	return { change, error: send.error, isPending: send.isPending };
}

type ChangeFormProps = {
	readonly company: Company;
	/** Only what differs from the company; null clears. */
	readonly toPatch: (values: FormData) => PatchCompany;
	readonly children: (faultAt: (pointer: string) => string | undefined) => ReactNode;
};

/** Without the right to change the company it only shows. */
export function ChangeForm({ company, toPatch, children }: ChangeFormProps) {
	const t = useWords(words);
	const client = useQueryClient();
	const { may } = useHere();
	const { change, error, isPending } = useChange(company);
	const [isUnchanged, setUnchanged] = useState(false);
	const submit = (event: FormEvent<HTMLFormElement>) => {
		event.preventDefault();
		const patch = toPatch(new FormData(event.currentTarget));
		const isEmpty = Object.keys(patch).length === 0;
		setUnchanged(isEmpty);
		if (!isEmpty) change(patch);
	};
	const isStale = error?.slug === "precondition-failed";
	return (
		// A newer version begins the form anew.
		<form key={company.version} className="stack" onSubmit={submit} onChange={() => setUnchanged(false)}>
			{isStale ? null : <Refusal error={error} />}
			{isStale ? (
				<div className="company-stale" role="alert">
					<p>{t("stale")}</p>
					<Button onClick={() => void client.invalidateQueries({ queryKey: callKey("getCompany") })}>
						{t("loadNewer")}
					</Button>
				</div>
			) : null}
			<fieldset className="company-fields" disabled={!may("company:write")}>
				{children((pointer) => error?.faultAt(pointer))}
			</fieldset>
			{may("company:write") ? (
				<div className="toolbar">
					<Button type="submit" kind="primary" isBusy={isPending}>
						{t("save")}
					</Button>
					<span className="soft" role="status">
						{isUnchanged ? t("unchanged") : ""}
					</span>
				</div>
			) : (
				<p className="soft">{t("readOnly")}</p>
			)}
		</form>
	);
}

/** The text of an input without spaces around it; null if it is empty. */
export function textIn(values: FormData, name: string): string | null {
	return String(values.get(name) ?? "").trim() || null;
}

/** The content of a file in base64. */
export async function toBase64(file: Blob): Promise<string> {
	const bytes = new Uint8Array(await file.arrayBuffer());
	// Not as the arguments of one call: a large file has more bytes than a call may have arguments.
	return btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(""));
}
