/** The embedded portal: which sites may show it, and how a program does. */
import { Plus, X } from "lucide-react";
import { type FormEvent, useRef, useState } from "react";
import { flushSync } from "react-dom";
import type { PortalSettings } from "../../api/generated";
import { useCall, useSend } from "../../api/use-call";
import { useWords } from "../../app/language";
import { Button } from "../../kit/button";
import { Code } from "../../kit/code";
import { Field, TextInput } from "../../kit/field";
import { Block, Refusal } from "../../kit/states";
import { notify } from "../../kit/toast";
import { words } from "./words";

const ORIGINS_MAX = 10;

export function Portal() {
	return (
		<Block asked={useCall("getPortalSettings", {})}>
			{(settings) => (
				<div className="company-columns">
					<Sites settings={settings} />
					<Embedding portalId={settings.portalId} />
				</div>
			)}
		</Block>
	);
}

function Sites({ settings }: { readonly settings: PortalSettings }) {
	const t = useWords(words);
	const [sites, setSites] = useState<readonly string[]>(settings.origins);
	const [isUnchanged, setUnchanged] = useState(false);
	const addButton = useRef<HTMLButtonElement>(null);
	const newest = useRef<HTMLInputElement>(null);
	const put = useSend("putPortalSettings", ["getPortalSettings", "listAudit"]);
	const faultAt = (at: number) => put.error?.faultAt(`/origins/${at}`);
	const isPlaced = sites.some((_, at) => faultAt(at) !== undefined);
	const show = (next: readonly string[]) => {
		// Faults belong to places of the list that was sent.
		put.reset();
		setUnchanged(false);
		setSites(next);
	};
	const add = () => {
		flushSync(() => show([...sites, ""]));
		newest.current?.focus();
	};
	const remove = (at: number) => {
		flushSync(() => show(sites.toSpliced(at, 1)));
		addButton.current?.focus();
	};
	const submit = (event: FormEvent<HTMLFormElement>) => {
		event.preventDefault();
		const origins = [...new Set(sites.map(toOrigin).filter((site) => site !== ""))];
		show(origins);
		const isSame = settings.portalId !== null && origins.join() === settings.origins.join();
		setUnchanged(isSame);
		if (!isSame) put.mutate({ body: { origins } }, { onSuccess: () => notify(t("saved")) });
	};
	return (
		<section className="card">
			<div className="card-head">
				<h2>{t("sites")}</h2>
			</div>
			<form className="card-body stack" onSubmit={submit} noValidate>
				<p className="soft">{t("sitesText")}</p>
				<Refusal error={isPlaced ? null : put.error} />
				{sites.length === 0 ? <p>{t("noSites")}</p> : null}
				{sites.map((site, at) => (
					// biome-ignore lint/suspicious/noArrayIndexKey: a site is its place in the list
					<div key={at} className="company-site">
						<Field label={t("site", { n: `${at + 1}` })} hidesLabel error={faultAt(at)}>
							<TextInput
								ref={at === sites.length - 1 ? newest : null}
								inputMode="url"
								value={site}
								placeholder="https://erp.example.do"
								maxLength={253}
								autoComplete="off"
								spellCheck={false}
								onChange={({ target }) => show(sites.with(at, target.value))}
							/>
						</Field>
						<Button kind="quiet" isIcon icon={<X aria-hidden />} onClick={() => remove(at)}>
							{t("removeSite", { n: `${at + 1}` })}
						</Button>
					</div>
				))}
				<div className="toolbar">
					<Button type="submit" kind="primary" isBusy={put.isPending}>
						{t("save")}
					</Button>
					<Button ref={addButton} icon={<Plus aria-hidden />} disabled={sites.length >= ORIGINS_MAX} onClick={add}>
						{t("addSite")}
					</Button>
					<span className="soft" role="status">
						{isUnchanged ? t("unchanged") : ""}
					</span>
				</div>
			</form>
		</section>
	);
}

/** What people copy from the address bar ends with a slash. Anything else is for the service to refuse. */
function toOrigin(text: string): string {
	const url = URL.parse(text.trim());
	return url && url.href === `${url.origin}/` ? url.origin : text.trim();
}

function Embedding({ portalId }: Pick<PortalSettings, "portalId">) {
	const t = useWords(words);
	return (
		<section className="card">
			<div className="card-head">
				<h2>{t("embedding")}</h2>
			</div>
			<div className="card-body stack">
				<dl className="pairs">
					<dt>{t("portalId")}</dt>
					<dd className={portalId === null ? "soft" : "mono"}>{portalId ?? t("noPortalId")}</dd>
				</dl>
				<Code title={t("linkTitle")} text={writeCommand(location.origin)} />
				<p className="soft">{t("linkText")}</p>
				<Code title={t("frameTitle")} text={FRAME} />
				<p className="soft">{t("frameText")}</p>
			</div>
		</section>
	);
}

const FRAME = '<iframe title="Sello" src="URL"\n  style="width: 100%; height: 800px; border: 0"></iframe>';

/** `KEY` and `TOKEN` are the program's own credentials. */
function writeCommand(origin: string): string {
	return [
		`curl -s ${origin}/v1/portal-links \\`,
		'  -H "x-api-key: $KEY" -H "authorization: Bearer $TOKEN" \\',
		`  -H 'content-type: application/json' \\`,
		`  -d '{"pages": ["invoices", "deliveries"]}'`,
	].join("\n");
}
