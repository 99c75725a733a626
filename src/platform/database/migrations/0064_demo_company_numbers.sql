-- The demo company of a sandbox that exists already gets the setting of a new one, with which `encf: "auto"` works at once.
update companies set settings = (settings::jsonb || '{"sequenceMode": "service"}')::json, version = version + 1
where tenant_id = '00000000-0000-7000-8000-00000000de02' and settings ->> 'sequenceMode' = 'client';
