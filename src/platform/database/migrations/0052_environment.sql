-- Of which environment a database is: whoever issues or sends first says it, and nobody of another one may do so after. A new table: no lock on
-- anything, no time.
create table deployment (
	is_the_only boolean primary key default true check (is_the_only),
	environment text not null,
	since timestamptz not null default now()
);

-- What has been worked in already is of the environment that its archive signs for, or else of the one in which its oldest company is; the company of
-- demonstrations, which a start by mistake has made, says nothing.
insert into deployment (environment, since)
select environment, at from (
	select environment, made_at as at, 1 as place from archive_log
	union all
	(
		select environment, created_at, 2 from companies where tenant_id <> '00000000-0000-7000-8000-00000000de02'
		order by created_at limit 1
	)
) known order by place limit 1;
