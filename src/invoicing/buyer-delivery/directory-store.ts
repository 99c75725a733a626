/** SQL of the directory's answers. */
import type { Listing, Receiver, Segment } from "../../authority/client";
import type { Sql } from "../../platform/database";

export type KnownListing = {
	readonly listing: Exclude<Listing, { readonly kind: "unavailable" }>;
	/** Since the authority said so, by the database's clock. */
	readonly ageSeconds: number;
};

type Name = { readonly segment: Segment; readonly rnc: string };

type Row = Name & {
	readonly name: string | null;
	readonly receptionUrl: string | null;
	readonly approvalUrl: string | null;
	readonly authenticationUrl: string | null;
	readonly ageSeconds: number;
};

/** What was last said of these taxpayers, in their order. */
export async function findListings(sql: Sql, names: readonly Name[]): Promise<(KnownListing | undefined)[]> {
	const rows = await sql<Row[]>`
		select d.segment, d.rnc, d.name, d.reception_url as "receptionUrl", d.approval_url as "approvalUrl",
			d.authentication_url as "authenticationUrl", extract(epoch from now() - d.asked_at)::float8 as "ageSeconds"
		from receiver_directory d
		where (d.segment, d.rnc) in (
			select * from unnest(${names.map(({ segment }) => segment)}::text[], ${names.map(({ rnc }) => rnc)}::text[])
		)`;
	const byName = new Map(rows.map((row) => [`${row.segment} ${row.rnc}`, toKnown(row)]));
	return names.map(({ segment, rnc }) => byName.get(`${segment} ${rnc}`));
}

function toKnown({ rnc, name, receptionUrl, approvalUrl, authenticationUrl, ageSeconds }: Row): KnownListing {
	if (receptionUrl === null || approvalUrl === null) return { listing: { kind: "not-listed" }, ageSeconds };
	const receiver: Receiver = {
		...{ rnc, name: name ?? rnc, receptionUrl, approvalUrl },
		...(authenticationUrl === null ? {} : { authenticationUrl }),
	};
	return { listing: { kind: "listed", receiver }, ageSeconds };
}

export async function saveListing(sql: Sql, { segment, rnc }: Name, { listing }: Pick<KnownListing, "listing">) {
	const { name, receptionUrl, approvalUrl, authenticationUrl }: Partial<Receiver> =
		listing.kind === "listed" ? listing.receiver : {};
	await sql`
		insert into receiver_directory as d (segment, rnc, name, reception_url, approval_url, authentication_url)
		values (${segment}, ${rnc}, ${name ?? null}, ${receptionUrl ?? null}, ${approvalUrl ?? null}, ${authenticationUrl ?? null})
		on conflict (segment, rnc) do update set
			name = excluded.name, reception_url = excluded.reception_url, approval_url = excluded.approval_url,
			authentication_url = excluded.authentication_url, asked_at = now(),
			changed_at = case
				when (d.reception_url, d.approval_url, d.authentication_url)
					is distinct from (excluded.reception_url, excluded.approval_url, excluded.authentication_url)
				then now() else d.changed_at
			end`;
}
