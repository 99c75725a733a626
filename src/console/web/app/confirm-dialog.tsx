/** Shows a factor again: a passkey, or the password with the code of an app. */
import { startAuthentication } from "@simplewebauthn/browser";
import { useMutation } from "@tanstack/react-query";
import { KeyRound } from "lucide-react";
import { type FormEvent, useId, useState } from "react";
import { type CallError, call, type Input } from "../api/call";
import { Button } from "../kit/button";
import { Dialog } from "../kit/dialog";
import { Field, TextInput } from "../kit/field";
import { Callout } from "../kit/states";
import { useWords } from "./language";
import { useMe } from "./session";
import { frameWords } from "./words";

export default function ConfirmDialog({ onEnd }: { readonly onEnd: (isConfirmed: boolean) => void }) {
	const t = useWords(frameWords);
	const form = useId();
	const factors = useMe().data?.factors;
	const [hasFailed, setFailed] = useState(false);
	const confirm = useMutation<unknown, CallError, Input<"confirmSession">["body"]>({
		mutationFn: (body) => call("confirmSession", { body }, { company: null }),
		onSuccess: () => onEnd(true),
	});
	const submit = (event: FormEvent<HTMLFormElement>) => {
		event.preventDefault();
		const values = new FormData(event.currentTarget);
		const totp = String(values.get("totp") ?? "").replaceAll(" ", "");
		const password = String(values.get("password"));
		confirm.mutate({ method: "password", password, ...(totp === "" ? {} : { totp }) });
	};
	const showPasskey = async () => {
		setFailed(false);
		confirm.reset();
		const { passkey } = await call("postSessionOptions", { body: { purpose: "confirm" } }, { company: null });
		try {
			const credential = await startAuthentication({ optionsJSON: passkey as never });
			confirm.mutate({ method: "passkey", credential: credential as never });
		} catch {
			setFailed(true);
		}
	};
	const refusal = confirm.error ? (confirm.error.problem?.detail ?? confirm.error.message) : undefined;
	const submitButton = (
		<Button type="submit" form={form} kind="primary" isBusy={confirm.isPending}>
			{t("confirm")}
		</Button>
	);
	return (
		<Dialog
			title={t("confirmTitle")}
			isOpen
			onClose={() => onEnd(false)}
			actions={factors?.password ? submitButton : undefined}
		>
			<div className="stack">
				<p>{t("confirmText")}</p>
				{hasFailed || refusal ? <Callout tone="bad">{refusal ?? t("passkeyFailed")}</Callout> : null}
				{factors && factors.passkeys > 0 ? (
					<Button isWide icon={<KeyRound aria-hidden />} onClick={() => void showPasskey()}>
						{t("usePasskey")}
					</Button>
				) : null}
				{factors?.password ? (
					<form id={form} className="stack" onSubmit={submit}>
						<Field label={t("password")}>
							<TextInput type="password" name="password" autoComplete="current-password" required />
						</Field>
						{factors.totp ? (
							<Field label={t("appCode")}>
								<TextInput name="totp" className="number" inputMode="numeric" autoComplete="one-time-code" required />
							</Field>
						) : null}
					</form>
				) : null}
			</div>
		</Dialog>
	);
}
