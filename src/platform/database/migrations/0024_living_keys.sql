-- An owner's keys in their order, without those that were revoked: these stay for good, and must not make the list slow. And which key
-- made a key: when one turns out to be in other hands, so is what it has made. The table is small; a column without a default
-- rewrites nothing, and building the index keeps writers of keys waiting for milliseconds.
alter table api_keys add column made_by uuid;
create index api_keys_living on api_keys (owner_id, id desc) where revoked_at is null;
