/** The list of companies, for people who have several or none; and the choice of those that a right is for. */
import { Building2 } from "lucide-react";
import { Link } from "wouter";
import { Empty } from "../kit/states";
import { useWords } from "./language";
import { type Me, useHere } from "./session";
import { frameWords } from "./words";

export function CompanyChoice({ me }: { readonly me: Me }) {
	const t = useWords(frameWords);
	if (me.memberships.length === 0) {
		return (
			<main className="alone">
				<Empty title={t("noCompany")} icon={Building2}>
					{t("noCompanyText")}
				</Empty>
			</main>
		);
	}
	return (
		<main className="alone">
			<h1>{t("chooseCompany")}</h1>
			<ul className="card choice">
				{me.memberships.map(({ tenantId, name, rnc }) => (
					<li key={tenantId}>
						<Link href={`/c/${tenantId}`}>
							<span className="choice-name">{name}</span>
							<span className="soft number">{rnc}</span>
						</Link>
					</li>
				))}
			</ul>
		</main>
	);
}

type CompaniesFieldProps = {
	/** Null for all of the owner. */
	readonly tenantIds: readonly string[] | null;
	readonly onChange: (tenantIds: readonly string[] | null) => void;
};

/** All companies of the owner, or those that are ticked. */
export function CompaniesField({ tenantIds, onChange }: CompaniesFieldProps) {
	const t = useWords(frameWords);
	const { me, company } = useHere();
	const companies = me.memberships.filter(({ ownerId }) => ownerId === company.ownerId);
	const chosen = new Set(tenantIds ?? []);
	return (
		<>
			<label className="check">
				<input
					type="checkbox"
					checked={tenantIds !== null}
					onChange={() => onChange(tenantIds === null ? [company.tenantId] : null)}
				/>
				{t("onlySome")}
			</label>
			{tenantIds === null ? null : (
				<fieldset className="checks">
					<legend className="visually-hidden">{t("companies")}</legend>
					{companies.map(({ tenantId, name }) => (
						<label key={tenantId} className="check">
							<input
								type="checkbox"
								checked={chosen.has(tenantId)}
								onChange={() => onChange([...chosen.symmetricDifference(new Set([tenantId]))])}
							/>
							{name}
						</label>
					))}
				</fieldset>
			)}
		</>
	);
}

/** Names of companies as the person who looks knows them. */
export function useCompanyNames() {
	const t = useWords(frameWords);
	const { me } = useHere();
	const known = new Map(me.memberships.map(({ tenantId, name }) => [tenantId, name]));
	return (tenantIds: readonly string[] | null) =>
		tenantIds === null ? t("allCompanies") : tenantIds.map((id) => known.get(id) ?? id).join(", ");
}
