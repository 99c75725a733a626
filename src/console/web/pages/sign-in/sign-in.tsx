/** Where people sign in: by passkey, by password with a code, or in a local sandbox without either. */
import { startAuthentication } from "@simplewebauthn/browser";
import { useMutation } from "@tanstack/react-query";
import { Building2, KeyRound, LogIn } from "lucide-react";
import { type FormEvent, useState } from "react";
import { type CallError, call } from "../../api/call";
import { useWords } from "../../app/language";
import { signInBySso, takeSsoRefusal } from "../../app/sso";
import { Button } from "../../kit/button";
import { Field, TextInput } from "../../kit/field";
import { Callout, Skeleton } from "../../kit/states";
import { Entrance } from "./entrance";
import { explain, explainSso, useSignIn, useSignInOptions } from "./use-sign-in";
import { words } from "./words";

export default function SignIn() {
	const [isRecovering, setRecovering] = useState(false);
	return isRecovering ? (
		<RequestRecovery onBack={() => setRecovering(false)} />
	) : (
		<Methods onForgot={() => setRecovering(true)} />
	);
}

function Methods({ onForgot }: { readonly onForgot: () => void }) {
	const t = useWords(words);
	const { data: options, isPending } = useSignInOptions();
	const [passkeyError, setPasskeyError] = useState<string>();
	const [ssoReason] = useState(takeSsoRefusal);
	const signIn = useSignIn();
	const needsCode = signIn.error?.slug === "totp-required" || signIn.variables?.totp !== undefined;
	const submit = (event: FormEvent<HTMLFormElement>) => {
		event.preventDefault();
		const values = new FormData(event.currentTarget);
		const textOf = (name: string) => String(values.get(name) ?? "").trim();
		setPasskeyError(undefined);
		const totp = textOf("totp").replaceAll(" ", "");
		signIn.mutate({
			...{ method: "password", email: textOf("email"), password: String(values.get("password") ?? "") },
			...(totp === "" ? {} : { totp }),
		});
	};
	const signInByPasskey = async () => {
		setPasskeyError(undefined);
		signIn.reset();
		// A challenge is good for one use.
		const { passkey } = await call("postSessionOptions", { body: { purpose: "sign-in" } }, { company: null });
		try {
			const credential = await startAuthentication({ optionsJSON: passkey as never });
			signIn.mutate({ method: "passkey", credential: credential as never });
		} catch {
			setPasskeyError(t("passkeyFailed"));
		}
	};
	const refusal = signIn.error?.slug === "totp-required" ? undefined : explain(signIn.error);
	const ssoRefusal = ssoReason === undefined || !signIn.isIdle ? undefined : explainSso(t, ssoReason);
	const has = (method: string) => options?.methods.includes(method) === true;
	const hasPassword = !options || has("password");
	const title = t("title");
	// No form that the service does not offer flickers by.
	if (isPending) {
		return (
			<Entrance title={title}>
				<Skeleton />
			</Entrance>
		);
	}
	return (
		<Entrance title={title} error={passkeyError ?? refusal ?? ssoRefusal}>
			{options?.sso ? (
				<>
					<Button kind="primary" isWide icon={<Building2 aria-hidden />} onClick={signInBySso}>
						{t("sso", { label: options.sso })}
					</Button>
					{hasPassword ? <p className="entrance-or">{t("or")}</p> : <p className="soft">{t("ssoOnly")}</p>}
				</>
			) : null}
			{has("local") ? (
				<>
					<Button
						kind={options?.sso ? "plain" : "primary"}
						isWide
						icon={<LogIn aria-hidden />}
						onClick={() => signIn.mutate({ method: "local" })}
					>
						{t("local")}
					</Button>
					<p className="soft">{t("localText")}</p>
					<p className="entrance-or">{t("or")}</p>
				</>
			) : null}
			{has("try") ? (
				<>
					<Button kind="primary" isWide icon={<LogIn aria-hidden />} onClick={() => signIn.mutate({ method: "try" })}>
						{t("try")}
					</Button>
					<p className="soft">{t("tryText")}</p>
					<p className="entrance-or">{t("or")}</p>
				</>
			) : null}
			{hasPassword ? (
				<form className="entrance-form" onSubmit={submit}>
					<Field label={t("email")}>
						<TextInput type="email" name="email" autoComplete="username" required />
					</Field>
					<Field label={t("password")}>
						<TextInput type="password" name="password" autoComplete="current-password" required />
					</Field>
					{needsCode ? (
						<Field label={t("totp")} hint={t("totpHint")}>
							<TextInput
								name="totp"
								className="number"
								inputMode="numeric"
								autoComplete="one-time-code"
								pattern="[0-9 ]{6,7}"
								required
								// The person has just asked to go on, and only this is missing.
								ref={(input) => input?.focus()}
							/>
						</Field>
					) : null}
					<Button
						type="submit"
						kind={has("local") || has("sso") || has("try") ? "plain" : "primary"}
						isWide
						isBusy={signIn.isPending}
					>
						{t("signIn")}
					</Button>
				</form>
			) : null}
			{options?.passkey ? (
				<Button isWide icon={<KeyRound aria-hidden />} onClick={() => void signInByPasskey()}>
					{t("passkey")}
				</Button>
			) : null}
			{hasPassword ? (
				<Button kind="quiet" isWide onClick={onForgot}>
					{t("forgot")}
				</Button>
			) : null}
		</Entrance>
	);
}

function RequestRecovery({ onBack }: { readonly onBack: () => void }) {
	const t = useWords(words);
	const recovery = useMutation<unknown, CallError, string>({
		mutationFn: (email) => call("recoverSession", { body: { email } }, { company: null }),
	});
	const submit = (event: FormEvent<HTMLFormElement>) => {
		event.preventDefault();
		recovery.mutate(String(new FormData(event.currentTarget).get("email")).trim());
	};
	return (
		<Entrance title={t("recoverTitle")} error={explain(recovery.error)}>
			{recovery.isSuccess ? (
				<Callout>{t("sent")}</Callout>
			) : (
				<form className="entrance-form" onSubmit={submit}>
					<p className="soft">{t("recoverText")}</p>
					<Field label={t("email")}>
						<TextInput type="email" name="email" autoComplete="username" required />
					</Field>
					<Button type="submit" kind="primary" isWide isBusy={recovery.isPending}>
						{t("send")}
					</Button>
				</form>
			)}
			<Button kind="quiet" isWide onClick={onBack}>
				{t("back")}
			</Button>
		</Entrance>
	);
}
