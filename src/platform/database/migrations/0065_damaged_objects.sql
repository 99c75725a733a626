-- Objects that an export lacks because they are damaged in the archive: the first ones by name, and how many there are.
alter table archive_exports
	add column damaged json not null default '[]',
	add column damaged_count int not null default 0;
