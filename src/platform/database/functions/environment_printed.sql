-- The environment that an address names, or null. Written so that the planner inlines it.
create or replace function environment_printed(print json) returns text language sql stable as $$
	select case
		when strpos(print::text, '/ecf/ConsultaTimbre') > 0 then 'production'
		when strpos(print::text, '/testecf/ConsultaTimbre') > 0 then 'test'
		when strpos(print::text, '/certecf/ConsultaTimbre') > 0 then 'certification'
	end
$$;
