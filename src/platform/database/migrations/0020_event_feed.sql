-- The feed of a tenant's events: how far it has been forgotten. Adding a column with a constant default rewrites nothing.
alter table event_counters add column swept_sequence bigint not null default 0;
