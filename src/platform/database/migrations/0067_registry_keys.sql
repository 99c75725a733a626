-- Keys of the registry's attestations and of the receipts of erasures. The newest signs; all verify for ever.
create table registry_keys (
	number bigint generated always as identity primary key,
	kid text not null unique,
	public_jwk jsonb not null,
	-- Sealed for the place `registry-key|<kid>`.
	sealed_private_key bytea not null,
	created_at timestamptz not null
);

-- Until now the keys of tokens signed receipts. They stay published, except those that an operator ended at once.
alter table token_signing_keys add column signed_receipts boolean not null default false;
update token_signing_keys k set signed_receipts = true
where retire_at is null or retire_at >= (
	select min(n.created_at) + interval '23 hours' from token_signing_keys n where n.created_at > k.created_at
);
