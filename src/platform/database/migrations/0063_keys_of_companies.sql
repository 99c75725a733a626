-- The companies that a key opens; empty for all companies of its owner.
alter table api_keys add column tenant_ids uuid[] not null default '{}';

drop trigger api_keys_changed on api_keys;
create trigger api_keys_changed
	after delete or update of digest, owner_id, plan, scopes, environment, ip_allow_list, tenant_ids, expires_at, revoked_at on api_keys
	for each row execute function notify_api_key_changed();
