/** How a received document stands: with the authority, and with the company. */
import type { ReceivedDocument } from "../../api/generated";
import { useWords } from "../../app/language";
import { Status } from "../../kit/status";
import { words } from "./words";

const TONES = { accepted: "good", rejected: "bad", not_found: "warn", unknown: "plain" } as const;

export function AuthorityMark({ status }: { readonly status: ReceivedDocument["authorityStatus"] }) {
	const t = useWords(words);
	return <Status tone={TONES[status]}>{t(status)}</Status>;
}

export function DecisionMark({ decision }: { readonly decision: string | undefined }) {
	const t = useWords(words);
	if (decision === undefined) return <Status tone="plain">{t("open")}</Status>;
	return decision === "approved" ? (
		<Status tone="good">{t("approved")}</Status>
	) : (
		<Status tone="bad">{t("refused")}</Status>
	);
}
