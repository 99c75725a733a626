/** The end of an invitation: its mailed link makes an account, or gives the one that is signed in another team. */
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { Redirect } from "wouter";
import { type Answer, type CallError, call, type Input } from "../../api/call";
import { useWords } from "../../app/language";
import { useMe } from "../../app/session";
import { Button, LinkButton } from "../../kit/button";
import { Field, TextInput } from "../../kit/field";
import { Entrance } from "./entrance";
import { takeToken } from "./take-token";
import { explain } from "./use-sign-in";
import { words } from "./words";

export default function Accept() {
	const t = useWords(words);
	const [token] = useState(takeToken);
	const client = useQueryClient();
	const { data: me } = useMe();
	const accept = useMutation<Answer<"acceptTeamInvitation">, CallError, Input<"acceptTeamInvitation">["body"]>({
		mutationFn: (body) => call("acceptTeamInvitation", { body }, { company: null }),
		onSuccess: () => client.resetQueries({ queryKey: ["me"] }),
	});
	if (accept.data) return <Redirect to={accept.data.isNewSession ? "/account" : "/"} replace />;
	const submit = (event: FormEvent<HTMLFormElement>) => {
		event.preventDefault();
		const name = String(new FormData(event.currentTarget).get("name") ?? "").trim();
		accept.mutate({ token: token ?? "", ...(name === "" ? {} : { name }) });
	};
	return (
		<Entrance title={t("acceptTitle")} error={token === undefined ? t("noToken") : explain(accept.error)}>
			<form className="entrance-form" onSubmit={submit}>
				{me ? null : (
					<Field label={t("name")} hint={t("acceptText")}>
						<TextInput name="name" autoComplete="name" maxLength={100} />
					</Field>
				)}
				<Button type="submit" kind="primary" isWide disabled={token === undefined} isBusy={accept.isPending}>
					{t("accept")}
				</Button>
			</form>
			{accept.error?.slug === "session-expired" ? <LinkButton href="/">{t("toSignIn")}</LinkButton> : null}
		</Entrance>
	);
}
