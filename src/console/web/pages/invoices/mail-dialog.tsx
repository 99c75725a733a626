/** Sends invoices by e-mail, to addresses that the person writes. */
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { type CallError, call } from "../../api/call";
import { callKey } from "../../api/use-call";
import { useFormat } from "../../app/format";
import { useLanguage, useWords } from "../../app/language";
import { Dialog, FormActions } from "../../kit/dialog";
import { Field, LanguageField, TextArea, TextInput } from "../../kit/field";
import { Callout } from "../../kit/states";
import { notify } from "../../kit/toast";
import { type Outcome, OutcomesDialog, tryEach } from "./outcomes";
import { words } from "./words";

type Named = { readonly docId: string; readonly encf: string };

type MailDialogProps = {
	readonly items: readonly Named[];
	/** Addresses that are in the field at first. */
	readonly to?: string;
	readonly onClose: () => void;
};

export function MailDialog({ items, to = "", onClose }: MailDialogProps) {
	const t = useWords(words);
	const { count } = useFormat();
	const locale = useLanguage();
	const client = useQueryClient();
	const [keys] = useState(() => new Map<string, string>());
	/** The same for a second attempt, which then sends nothing twice; another one for a changed mail. */
	const keyOf = (request: string) => {
		const key = keys.get(request) ?? crypto.randomUUID();
		keys.set(request, key);
		return key;
	};
	const send = useMutation<Outcome<Named>[], CallError, FormData>({
		mutationFn: async (form) => {
			const message = String(form.get("message")).trim();
			const attach = form.getAll("attach") as ("pdf" | "xml")[];
			const body = {
				to: String(form.get("to"))
					.split(/[\s,;]+/)
					.filter(Boolean),
				...{ attach, locale: form.get("locale") as "es" | "en" },
				...(message === "" ? {} : { message }),
			};
			const outcomes = await tryEach(items, ({ docId }) =>
				call("emailInvoice", {
					...{ path: { docId }, body, idempotencyKey: keyOf(JSON.stringify([docId, body])) },
				}),
			);
			const [first] = outcomes;
			const isOfForm = outcomes.every(({ refusal }) => refusal !== undefined);
			// What is refused for all is wrong in the form, or elsewhere than at a document.
			if (isOfForm && first?.refusal) throw first.refusal;
			return outcomes;
		},
		onSuccess: (outcomes) => {
			if (outcomes.every(({ refusal }) => refusal === undefined)) {
				notify(t("mailSent", { count: count(items.length) }));
				onClose();
			}
			return client.invalidateQueries({ queryKey: callKey("listEmails") });
		},
	});
	const submit = (event: FormEvent<HTMLFormElement>) => {
		event.preventDefault();
		send.mutate(new FormData(event.currentTarget));
	};
	const faults = send.error?.problem?.errors ?? [];
	const faultOf = (member: string) => faults.find(({ pointer }) => pointer.startsWith(`/${member}`))?.detail;
	const isElsewhere = send.error !== null && faultOf("to") === undefined && faultOf("message") === undefined;
	const actions = (
		<FormActions form="invoices-mail" isBusy={send.isPending} onClose={onClose}>
			{t("mailSend")}
		</FormActions>
	);
	if (send.data) {
		return (
			<OutcomesDialog
				title={t("mail")}
				done={t("mailOnItsWay")}
				outcomes={send.data}
				idOf={({ item }) => item.docId}
				nameOf={({ item }) => <span className="number">{item.encf}</span>}
				onClose={onClose}
			/>
		);
	}
	return (
		<Dialog title={t("mailTitle", { count: count(items.length) })} isOpen onClose={onClose} actions={actions}>
			<form id="invoices-mail" className="invoices-form" onSubmit={submit}>
				{isElsewhere ? (
					<Callout tone="bad">
						{[send.error?.problem?.title, send.error?.problem?.detail, faults[0]?.detail].filter(Boolean).join(" ")}
					</Callout>
				) : null}
				<Field label={t("mailTo")} hint={t("mailToHint")} error={faultOf("to")}>
					<TextInput name="to" inputMode="email" defaultValue={to} required />
				</Field>
				<Field label={t("mailMessage")} hint={t("mailOptional")} error={faultOf("message")}>
					<TextArea name="message" rows={4} />
				</Field>
				<LanguageField label={t("mailLanguage")} name="locale" defaultValue={locale} />
				<fieldset className="invoices-checks">
					<legend className="field-label">{t("mailAttach")}</legend>
					{(["pdf", "xml"] as const).map((value) => (
						<label key={value} className="check">
							<input type="checkbox" name="attach" value={value} defaultChecked />
							{t(value === "pdf" ? "mailPdf" : "mailXml")}
						</label>
					))}
				</fieldset>
			</form>
		</Dialog>
	);
}
