-- In whose place a key came: with who made it, that tells which keys may be in the same hands, so that one hand neither confirms what it has
-- proposed nor gets a limit anew. What was rotated before stands in the audit, found by its index. And when a set of changes came into use:
-- going back to a run is later than the run. Columns without a default rewrite nothing; both tables are small; the indexes and the two
-- updates keep writers of keys and ingests waiting for milliseconds.
alter table api_keys add column follows uuid;
update api_keys k set follows = (a.details ->> 'follows')::uuid
from audit a where a.key_id = k.made_by and a.action = 'key.rotate' and a.subject = k.id::text;
create index api_keys_by_maker on api_keys (made_by) where made_by is not null;
create index api_keys_by_follows on api_keys (follows) where follows is not null;

alter table registry_change_sets add column at timestamptz;
-- Processes of the version before this one write sets without it while they are replaced.
alter table registry_change_sets alter column at set default clock_timestamp();
-- Of what was gone back to before, the time is not known: it was not before the sets that stand in front of it.
update registry_change_sets s set at = (
	select max(r.finished_at) from registry_change_sets o join registry_runs r on r.id = o.run_id where o.ordinal <= s.ordinal);
alter table registry_change_sets alter column at set not null;
