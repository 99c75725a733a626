/** The end of the window in which a person shows a factor at the identity provider. It closes by itself, unless it has to say why not. */
import { useEffect, useState } from "react";
import { useWords } from "../../app/language";
import { reportConfirmed, takeSsoRefusal } from "../../app/sso";
import { Button } from "../../kit/button";
import { Entrance } from "./entrance";
import { explainSso } from "./use-sign-in";
import { words } from "./words";

export default function Confirmed() {
	const t = useWords(words);
	const [reason] = useState(takeSsoRefusal);
	useEffect(() => {
		if (reason === undefined) reportConfirmed();
	}, [reason]);
	return (
		<Entrance title={t("confirmTitle")} error={reason === undefined ? undefined : explainSso(t, reason)}>
			{reason === undefined ? <p>{t("confirmed")}</p> : null}
			<Button isWide onClick={() => window.close()}>
				{t("closeWindow")}
			</Button>
		</Entrance>
	);
}
