-- One of the texts that are concatenated in `bulk`: it begins at the nth mark and ends at the next one.
create or replace function cut_text(bulk bytea, marks int[], nth bigint) returns bytea language sql immutable as $$
	select substring(bulk from marks[nth] + 1 for marks[nth + 1] - marks[nth])
$$;
