-- The digest of a day's decided documents, in one environment: over a line for each, by id.
create or replace function digest_day(of_tenant uuid, of_environment "char", of_day date) returns bytea language sql stable as $$
	select sha256(convert_to(coalesce(string_agg(doc_id || ' ' || encode(sha256, 'hex') || e'\n', '' order by doc_id), ''), 'UTF8'))
	from list_decided(of_tenant, of_environment, of_day, of_day)
$$;
