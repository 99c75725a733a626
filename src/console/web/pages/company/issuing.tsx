/** How the company issues: checks, numbers, and what happens while the authority is down. */
import type { Company } from "../../api/generated";
import { useWords } from "../../app/language";
import { Field, Select, TextInput } from "../../kit/field";
import { ChangeForm, textIn } from "./change-form";
import { words } from "./words";

const CHOICES = [
	{ name: "sequenceMode", values: ["client", "service"] },
	{ name: "knownRejections", values: ["refuse", "send"] },
	{ name: "outagePolicy", values: ["queue", "reject"] },
	{ name: "locale", values: ["es-DO", "en-US"] },
] as const;

export function Issuing({ company }: { readonly company: Company }) {
	const t = useWords(words);
	const { settings } = company;
	const toPatch = (values: FormData) => {
		const isStrict = values.get("strictValidation") === "on";
		const day = textIn(values, "sequenceExpiresOn");
		const changed = {
			...Object.fromEntries(
				CHOICES.flatMap(({ name }) => (values.get(name) === settings[name] ? [] : [[name, values.get(name)]])),
			),
			...(isStrict === settings.strictValidation ? {} : { strictValidation: isStrict }),
			...(day === settings.sequenceExpiresOn ? {} : { sequenceExpiresOn: day }),
		};
		return Object.keys(changed).length > 0 ? { settings: changed } : {};
	};
	return (
		<section className="card company-narrow">
			<div className="card-head">
				<h2>{t("issuing")}</h2>
			</div>
			<div className="card-body">
				<ChangeForm company={company} toPatch={toPatch}>
					{(faultAt) => (
						<>
							{CHOICES.map(({ name, values }) => (
								<Field key={name} label={t(name)} hint={t(`${name}Hint`)} error={faultAt(`/settings/${name}`)}>
									<Select
										name={name}
										defaultValue={settings[name]}
										options={values.map((value) => ({ value, label: t(value) }))}
									/>
								</Field>
							))}
							<Field
								label={t("sequenceExpiresOn")}
								hint={t("sequenceExpiresOnHint")}
								error={faultAt("/settings/sequenceExpiresOn")}
							>
								<TextInput type="date" name="sequenceExpiresOn" defaultValue={settings.sequenceExpiresOn ?? ""} />
							</Field>
							<label className="check">
								<input type="checkbox" name="strictValidation" defaultChecked={settings.strictValidation} />
								{t("strictValidation")}
							</label>
						</>
					)}
				</ChangeForm>
			</div>
		</section>
	);
}
