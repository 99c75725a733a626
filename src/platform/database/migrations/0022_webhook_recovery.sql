-- How an endpoint's dead letters go out again by themselves. Columns with constant defaults rewrite nothing; both tables are locked for a
-- moment, and the check reads only the small one. The index is empty; building it reads the deliveries once, while none is written.
alter table webhook_endpoints
	add column recovery text not null default 'automatic' check (recovery in ('automatic', 'manual')),
	-- Set together while a probe is under way; a message of the outbox that carries another id belongs to one that is over.
	add column probe_id uuid,
	-- In a row. More than no passes: the queue is being drained.
	add column probe_failures int,
	add column probe_passes int,
	add column probe_next_at timestamptz,
	add constraint webhook_endpoints_probe
		check (num_nulls(probe_id, probe_failures, probe_passes, probe_next_at) in (0, 4));

-- How often a dead letter may still be queued again by a probe.
alter table deliveries add column recoveries_left int not null default 5;
-- What a probe has queued again and was not tried since.
create index deliveries_returning on deliveries (endpoint_id) where status = 'pending' and recoveries_left < 5;
