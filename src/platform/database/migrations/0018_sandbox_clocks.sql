-- Test clocks of tenants: how far one is ahead, for what is compared with a day of the calendar, and access tokens that end before their
-- time but not yet. A column with a constant default is written into no row: short exclusive locks, no time.
alter table companies add column clock_ahead_seconds bigint not null default 0;

-- `epoch`: at once.
alter table revoked_tokens add column ends_at timestamptz not null default 'epoch';
drop trigger tokens_revoked on revoked_tokens;
create trigger tokens_revoked
	after insert or update on revoked_tokens
	for each row execute function notify_token_revoked();
