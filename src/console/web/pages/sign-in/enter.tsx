/** Entry by a printed link: the part after `#` signs in, once. */
import { useEffect, useState } from "react";
import { Redirect } from "wouter";
import { useWords } from "../../app/language";
import { LinkButton } from "../../kit/button";
import { Skeleton } from "../../kit/states";
import { Entrance } from "./entrance";
import { takeToken } from "./take-token";
import { explain, useSignIn } from "./use-sign-in";
import { words } from "./words";

export default function Enter() {
	const t = useWords(words);
	const [token] = useState(takeToken);
	const { mutate, isSuccess, error } = useSignIn();
	useEffect(() => {
		if (token !== undefined) mutate({ method: "link", token });
	}, [token, mutate]);
	if (isSuccess) return <Redirect to="/" replace />;
	const refusal = token === undefined ? t("noToken") : explain(error);
	return (
		<Entrance title={t("entryTitle")} error={refusal}>
			{refusal === undefined ? <Skeleton lines={2} /> : <LinkButton href="/">{t("toSignIn")}</LinkButton>}
		</Entrance>
	);
}
