/** Shows a factor again: at the identity provider, a passkey, or the password with the code of an app. */
import { startAuthentication } from "@simplewebauthn/browser";
import { useMutation } from "@tanstack/react-query";
import { Building2, KeyRound } from "lucide-react";
import { type FormEvent, useEffect, useId, useRef, useState } from "react";
import { type CallError, call, type Input } from "../api/call";
import { Button } from "../kit/button";
import { Dialog } from "../kit/dialog";
import { Field, TextInput } from "../kit/field";
import { Callout } from "../kit/states";
import { useWords } from "./language";
import { useMe } from "./session";
import { confirmBySso } from "./sso";
import { frameWords } from "./words";

export default function ConfirmDialog({ onEnd }: { readonly onEnd: (isConfirmed: boolean) => void }) {
	const t = useWords(frameWords);
	const form = useId();
	const factors = useMe().data?.factors;
	const [failure, setFailure] = useState<"passkeyFailed" | "ssoBlocked">();
	const [isElsewhere, setElsewhere] = useState(false);
	const stopWaiting = useRef<() => void>(undefined);
	useEffect(() => () => stopWaiting.current?.(), []);
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
		setFailure(undefined);
		confirm.reset();
		const { passkey } = await call("postSessionOptions", { body: { purpose: "confirm" } }, { company: null });
		try {
			const credential = await startAuthentication({ optionsJSON: passkey as never });
			confirm.mutate({ method: "passkey", credential: credential as never });
		} catch {
			setFailure("passkeyFailed");
		}
	};
	const goElsewhere = () => {
		stopWaiting.current?.();
		stopWaiting.current = confirmBySso(() => onEnd(true));
		setElsewhere(stopWaiting.current !== undefined);
		setFailure(stopWaiting.current ? undefined : "ssoBlocked");
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
				{refusal ? <Callout tone="bad">{refusal}</Callout> : null}
				{failure && !refusal ? <Callout tone="bad">{t(failure)}</Callout> : null}
				{factors?.sso ? (
					<Button isWide icon={<Building2 aria-hidden />} onClick={goElsewhere}>
						{t("useSso", { label: factors.sso })}
					</Button>
				) : null}
				{isElsewhere ? <Callout>{t("ssoWaiting")}</Callout> : null}
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
