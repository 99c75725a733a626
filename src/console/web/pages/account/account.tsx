/** A person's own page: the ways to sign in, recovery codes and open sessions. It belongs to no company. */
import { ArrowLeft } from "lucide-react";
import { useCall, useSend } from "../../api/use-call";
import { useFormat } from "../../app/format";
import { useWords } from "../../app/language";
import { Outside } from "../../app/outside";
import { useMe } from "../../app/session";
import { Button, LinkButton } from "../../kit/button";
import { PageTitle } from "../../kit/page-title";
import { Block, Callout } from "../../kit/states";
import { notify } from "../../kit/toast";
import { App, Passkeys, Password, RecoveryCodes } from "./factors";
import { nameOf, Section } from "./section";
import { words } from "./words";

export default function Account() {
	const t = useWords(words);
	const { data: me } = useMe();
	if (!me) return null;
	const { passkeys, password, recoveryCodes, sso } = me.factors;
	const hasFactor = passkeys > 0 || password;
	return (
		<Outside isSignedIn>
			<main className="account">
				<div className="page-head">
					<div>
						<PageTitle>{t("title")}</PageTitle>
						<p className="soft">{[me.user.name, me.user.email].filter(Boolean).join(" · ")}</p>
					</div>
					<LinkButton href="/" icon={<ArrowLeft aria-hidden />}>
						{t("back")}
					</LinkButton>
				</div>
				{hasFactor || sso !== null ? null : <Callout tone="warn">{t("wayIn")}</Callout>}
				{hasFactor && recoveryCodes === 0 ? <Callout tone="warn">{t("codesMissing")}</Callout> : null}
				<Passkeys />
				<Password me={me} />
				<App me={me} />
				<RecoveryCodes me={me} />
				<Sessions />
			</main>
		</Outside>
	);
}

function Sessions() {
	const t = useWords(words);
	const { moment, ago } = useFormat();
	const asked = useCall("listMySessions", {});
	const end = useSend("deleteMySession", ["listMySessions"]);
	return (
		<Section title={t("sessions")}>
			<Block asked={asked} lines={2}>
				{({ items }) => (
					<ul className="rows">
						{items.map(({ id, agent, address, createdAt, lastSeenAt, current }) => {
							const name = nameOf(agent);
							return (
								<li key={id}>
									<div>
										<strong>{name}</strong> <span className="soft number">{address}</span>
										<p className="soft">
											{t("signedIn", { date: moment(createdAt) })}
											{current ? "" : `, ${t("seen", { ago: ago(lastSeenAt) })}`}
										</p>
									</div>
									{current ? (
										<span className="soft">{t("thisSession")}</span>
									) : (
										<Button
											aria-label={t("endNamed", { name })}
											onClick={() => end.mutate({ path: { id } }, { onSuccess: () => notify(t("ended")) })}
										>
											{t("end")}
										</Button>
									)}
								</li>
							);
						})}
					</ul>
				)}
			</Block>
		</Section>
	);
}
