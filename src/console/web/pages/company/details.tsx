/** The company's data, as documents state it, and what the registry and the service say about it. */
import { useState } from "react";
import type { Company, PatchCompany, Place } from "../../api/generated";
import { useCall } from "../../api/use-call";
import { useFormat } from "../../app/format";
import { useWords } from "../../app/language";
import { Field, Select, TextArea, TextInput } from "../../kit/field";
import { Callout } from "../../kit/states";
import { ChangeForm, textIn } from "./change-form";
import { words } from "./words";

const TEXTS = [
	{ name: "tradeName", max: 150 },
	{ name: "email", max: 80, type: "email" },
	{ name: "phone", max: 20, type: "tel" },
	{ name: "economicActivity", max: 100 },
] as const;
const ADDRESS = ["street", "provinceCode", "municipalityCode"] as const;

export function Details({ company }: { readonly company: Company }) {
	const t = useWords(words);
	return (
		<div className="company-columns">
			<section className="card">
				<div className="card-head">
					<h2>{t("data")}</h2>
				</div>
				<div className="card-body">
					<ChangeForm company={company} toPatch={(values) => toPatch(company, values)}>
						{(faultAt) => (
							<>
								<Field label={t("name")} hint={t("nameHint")} error={faultAt("/name")}>
									<TextInput name="name" defaultValue={company.name} maxLength={150} required />
								</Field>
								{TEXTS.map(({ name, max, ...more }) => (
									<Field key={name} label={t(name)} error={faultAt(`/${name}`)}>
										<TextInput name={name} defaultValue={company[name] ?? ""} maxLength={max} {...more} />
									</Field>
								))}
								<Field label={t("street")} error={faultAt("/address/street")}>
									<TextInput name="street" defaultValue={company.address?.street ?? ""} maxLength={100} />
								</Field>
								<PlaceFields
									company={company}
									faults={[faultAt("/address/provinceCode"), faultAt("/address/municipalityCode")]}
								/>
								<Field label={t("contactEmails")} hint={t("contactEmailsHint")} error={findEmailFault(faultAt)}>
									<TextArea name="contactEmails" rows={2} defaultValue={company.contactEmails.join("\n")} />
								</Field>
							</>
						)}
					</ChangeForm>
				</div>
			</section>
			<Facts company={company} />
		</div>
	);
}

const EMAILS_MAX = 10;

function findEmailFault(faultAt: (pointer: string) => string | undefined): string | undefined {
	const pointers = Array.from({ length: EMAILS_MAX }, (_, at) => `/contactEmails/${at}`);
	return ["/contactEmails", ...pointers].map(faultAt).find((fault) => fault !== undefined);
}

function toPatch(company: Company, values: FormData): PatchCompany {
	const name = textIn(values, "name");
	const texts = TEXTS.flatMap(({ name: member }) => {
		const text = textIn(values, member);
		return text === company[member] ? [] : [[member, text]];
	});
	const address = ADDRESS.flatMap((member) => {
		const text = textIn(values, member);
		return text === (company.address?.[member] ?? null) ? [] : [[member, text]];
	});
	const emails = String(values.get("contactEmails") ?? "")
		.split(/[\s,;]+/)
		.filter(Boolean);
	return {
		...(name === null || name === company.name ? {} : { name }),
		...Object.fromEntries(texts),
		...(address.length > 0 ? { address: Object.fromEntries(address) } : {}),
		...(emails.join() === company.contactEmails.join() ? {} : { contactEmails: emails }),
	};
}

type PlaceFieldsProps = { readonly company: Company; readonly faults: readonly (string | undefined)[] };

/** A municipality belongs to a province; until the list is there, the codes that are set. */
function PlaceFields({ company: { address }, faults: [provinceFault, municipalityFault] }: PlaceFieldsProps) {
	const t = useWords(words);
	const { data } = useCall("listPlaces", {});
	const [province, setProvince] = useState(address?.provinceCode ?? "");
	const [municipality, setMunicipality] = useState(address?.municipalityCode ?? "");
	const places = data?.items ?? [];
	const toOptions = (found: readonly Place[], chosen: string) => [
		{ value: "", label: t("none") },
		...found.map(({ code, name }) => ({ value: code, label: name })),
		...(chosen === "" || found.some(({ code }) => code === chosen) ? [] : [{ value: chosen, label: chosen }]),
	];
	const provinces = places.filter(({ level }) => level === "province");
	const inside = places.filter(({ level, provinceCode }) => level !== "province" && provinceCode === province);
	return (
		<div className="company-pair">
			<Field label={t("provinceCode")} error={provinceFault}>
				<Select
					name="provinceCode"
					value={province}
					options={toOptions(provinces, province)}
					onChange={({ target }) => {
						setProvince(target.value);
						setMunicipality("");
					}}
				/>
			</Field>
			<Field label={t("municipalityCode")} error={municipalityFault}>
				<Select
					name="municipalityCode"
					value={municipality}
					options={toOptions(inside, municipality)}
					onChange={({ target }) => setMunicipality(target.value)}
				/>
			</Field>
		</div>
	);
}

const AUTHORITY_ENVIRONMENTS = ["test", "certification", "production"] as const;

function Facts({ company }: { readonly company: Company }) {
	const t = useWords(words);
	const { day } = useFormat();
	const { rnc, status, plan, authorityEnvironment, registry, createdAt, tenantId, warnings } = company;
	const environment = AUTHORITY_ENVIRONMENTS.find((one) => one === authorityEnvironment);
	return (
		<section className="card">
			<div className="card-head">
				<h2>{t("facts")}</h2>
			</div>
			<div className="card-body stack">
				{warnings.map(({ code, detail }) => (
					<Callout key={code} tone="warn">
						{code === "address-missing" ? t("addressMissing") : detail}
					</Callout>
				))}
				<dl className="pairs">
					<dt>RNC</dt>
					<dd className="number">{rnc}</dd>
					<dt>{t("registry")}</dt>
					<dd>
						{registry.status}
						<br />
						<span className="soft">{t("checkedOn", { day: day(registry.checkedAt) })}</span>
					</dd>
					<dt>{t("regime")}</dt>
					<dd>{registry.payment_regime || "—"}</dd>
					<dt>{t("authorityEnvironment")}</dt>
					<dd>{environment === undefined ? authorityEnvironment : t(environment)}</dd>
					<dt>{t("status")}</dt>
					<dd>{status === "active" ? t("companyActive") : status === "suspended" ? t("companySuspended") : status}</dd>
					<dt>{t("plan")}</dt>
					<dd>{plan}</dd>
					<dt>{t("since")}</dt>
					<dd>{day(createdAt)}</dd>
					<dt>{t("id")}</dt>
					<dd className="mono">{tenantId}</dd>
				</dl>
			</div>
		</section>
	);
}
