/** The company's client, with which its programs get access tokens. Who has lost its secret makes a new one. */
import { useState } from "react";
import type { Answer } from "../../api/call";
import { useSend } from "../../api/use-call";
import { useWords } from "../../app/language";
import { useHere } from "../../app/session";
import { Button } from "../../kit/button";
import { ReplaceDialog } from "../../kit/dialog";
import { Prose } from "../../kit/states";
import { words } from "./words";

/** What a program reads from its settings. */
const toLines = ({ clientId, clientSecret }: Answer<"renewCredentials">) =>
	`CLIENT_ID=${clientId}\nCLIENT_SECRET=${clientSecret}`;

export function ClientCard({ onSecret }: { readonly onSecret: (lines: string) => void }) {
	const t = useWords(words);
	const { may } = useHere();
	const [isRenewing, setRenewing] = useState(false);
	if (!may("company:write")) return null;
	return (
		<section className="card">
			<div className="card-head">
				<h2>{t("client")}</h2>
				<Button onClick={() => setRenewing(true)}>{t("renew")}</Button>
			</div>
			<p className="card-body soft">
				<Prose text={t("clientText")} />
			</p>
			{isRenewing ? <RenewDialog onSecret={onSecret} onClose={() => setRenewing(false)} /> : null}
		</section>
	);
}

type RenewDialogProps = { readonly onSecret: (lines: string) => void; readonly onClose: () => void };

function RenewDialog({ onSecret, onClose }: RenewDialogProps) {
	const t = useWords(words);
	const { company } = useHere();
	const renew = useSend("renewCredentials", ["listAudit"]);
	const send = (graceSeconds: number, idempotencyKey: string) => {
		const done = (made: Answer<"renewCredentials">) => {
			onClose();
			if (made.clientSecret !== null) onSecret(toLines(made));
		};
		renew.mutate({ path: { id: company.tenantId }, body: { graceSeconds }, idempotencyKey }, { onSuccess: done });
	};
	return (
		<ReplaceDialog
			{...{ title: t("renewTitle", { company: company.name }), text: t("renewText"), word: t("renew") }}
			{...{ label: t("grace"), hint: t("graceHint"), sent: renew, onSend: send, onClose }}
		/>
	);
}
