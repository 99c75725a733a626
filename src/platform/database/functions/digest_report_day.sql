-- For processes of the previous version: null for a day that has documents of several environments.
create or replace function digest_report_day(of_tenant uuid, of_day date) returns bytea language sql stable as $$
	select case when count(*) = 1 then digest_report_day(of_tenant, min(authority_environment), of_day) end
	from report_days where tenant_id = of_tenant and day = of_day
$$;

-- The digest of one environment's documents of a day.
create or replace function digest_report_day(of_tenant uuid, of_environment text, of_day date) returns bytea language sql stable as $$
	select sha256(convert_to(coalesce(string_agg(doc_id || ' ' || encode(sha256, 'hex') || e'\n', '' order by doc_id), ''), 'UTF8'))
	from report_documents where tenant_id = of_tenant and day = of_day and authority_environment = of_environment
$$;
