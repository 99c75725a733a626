/** The landing page's way into the public sandbox: a company of one's own for a day. Who is signed in goes to what they have. */
import { useEffect } from "react";
import { Redirect } from "wouter";
import { useWords } from "../../app/language";
import { useMe } from "../../app/session";
import { LinkButton } from "../../kit/button";
import { Skeleton } from "../../kit/states";
import { Entrance } from "./entrance";
import { explain, useSignIn } from "./use-sign-in";
import { words } from "./words";

export default function Try() {
	const t = useWords(words);
	const me = useMe();
	const { mutate, isSuccess, error } = useSignIn();
	const isStranger = me.error?.problem?.status === 401;
	useEffect(() => {
		if (isStranger) mutate({ method: "try" });
	}, [isStranger, mutate]);
	if (me.data || isSuccess) return <Redirect to="/" replace />;
	const refusal = explain(error ?? (isStranger ? null : me.error));
	return (
		<Entrance title={t(refusal === undefined ? "tryTitle" : "try")} error={refusal}>
			{refusal === undefined ? <Skeleton lines={2} /> : <LinkButton href="/">{t("toSignIn")}</LinkButton>}
		</Entrance>
	);
}
