-- The beginning of a name is found whatever its case and accents. Letters are mapped one by one, so that the result depends on no locale.
create or replace function fold_name(name text) returns text language sql immutable as $$
	select translate(name, 'abcdefghijklmnopqrstuvwxyzáàâäãåçéèêëíìîïñóòôöõúùûüýÁÀÂÄÃÅÇÉÈÊËÍÌÎÏÑÓÒÔÖÕÚÙÛÜÝ',
		'ABCDEFGHIJKLMNOPQRSTUVWXYZAAAAAACEEEEIIIINOOOOOUUUUYAAAAAACEEEEIIIINOOOOOUUUUY')
$$;
