-- When a service of the authority failed last, so that failures which lie far apart are not counted together. A handful of rows: a short lock, no time.
alter table authority_breaker add column failed_at timestamptz not null default now();
