/** The end of a recovery: the mailed link and a recovery code sign in and end all other sessions. */
import { type FormEvent, useState } from "react";
import { Redirect } from "wouter";
import { useWords } from "../../app/language";
import { Button } from "../../kit/button";
import { Field, TextInput } from "../../kit/field";
import { Entrance } from "./entrance";
import { takeToken } from "./take-token";
import { explain, useSignIn } from "./use-sign-in";
import { words } from "./words";

export default function Recover() {
	const t = useWords(words);
	const [token] = useState(takeToken);
	const signIn = useSignIn();
	if (signIn.isSuccess) return <Redirect to="/" replace />;
	const submit = (event: FormEvent<HTMLFormElement>) => {
		event.preventDefault();
		const recoveryCode = String(new FormData(event.currentTarget).get("code")).trim();
		signIn.mutate({ method: "recovery", token: token ?? "", ...(recoveryCode === "" ? {} : { recoveryCode }) });
	};
	return (
		<Entrance title={t("recoverTitle")} error={token === undefined ? t("noToken") : explain(signIn.error)}>
			<form className="entrance-form" onSubmit={submit}>
				<Field label={t("recoveryCode")} hint={t("recoveryCodeHint")}>
					<TextInput name="code" className="mono" autoComplete="off" />
				</Field>
				<Button type="submit" kind="primary" isWide disabled={token === undefined} isBusy={signIn.isPending}>
					{t("recover")}
				</Button>
			</form>
		</Entrance>
	);
}
