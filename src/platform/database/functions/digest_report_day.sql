-- The digest of one environment's documents of a day.
create or replace function digest_report_day(of_tenant uuid, of_environment text, of_day date) returns bytea language sql stable as $$
	select sha256(convert_to(coalesce(string_agg(doc_id || ' ' || encode(sha256, 'hex') || e'\n', '' order by doc_id), ''), 'UTF8'))
	from report_documents where tenant_id = of_tenant and day = of_day and authority_environment = of_environment
$$;
