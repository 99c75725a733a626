/** The list of companies, for people who have several or none; and the choice of those that a right is for. */
import { Building2 } from "lucide-react";
import type { ReactNode } from "react";
import { Link } from "wouter";
import { PageTitle } from "../kit/page-title";
import { Empty } from "../kit/states";
import { useWords } from "./language";
import { Outside } from "./outside";
import { type Me, useHere } from "./session";
import { frameWords } from "./words";

type CompanyChoiceProps = {
	readonly me: Me;
	/** Below the chosen company's address. */
	readonly page?: string;
};

export function CompanyChoice({ me, page = "" }: CompanyChoiceProps) {
	const t = useWords(frameWords);
	if (me.memberships.length === 0) {
		return (
			<Alone>
				<Empty isPage title={t("noCompany")} icon={Building2}>
					{t("noCompanyText")}
				</Empty>
			</Alone>
		);
	}
	return (
		<Alone>
			<PageTitle>{t("chooseCompany")}</PageTitle>
			<ul className="card choice">
				{me.memberships.map(({ tenantId, name, rnc }) => (
					<li key={tenantId}>
						<Link href={`/c/${tenantId}${page}`}>
							<span className="choice-name">{name}</span>
							<span className="soft number">{rnc}</span>
						</Link>
					</li>
				))}
			</ul>
		</Alone>
	);
}

/** A page outside the shell, of a person who is signed in. */
export function Alone({ children }: { readonly children: ReactNode }) {
	return (
		<Outside isSignedIn>
			<main className="alone">{children}</main>
		</Outside>
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
