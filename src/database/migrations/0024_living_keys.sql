-- An owner's keys in their order, without those that were revoked: these stay for good, and must not make the list slow. The table
-- is small; building the index keeps writers of keys waiting for milliseconds.
create index api_keys_living on api_keys (owner_id, id desc) where revoked_at is null;
