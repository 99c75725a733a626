-- How many distinct entries searches have shown a caller in a day (UTC): the registers of a HyperLogLog, from which no entry can be read.
create table registry_harvests (
	day date not null,
	-- The owner of the key; behind a shared key, a digest of the address.
	subject text not null,
	registers bytea not null check (length(registers) = 4096),
	primary key (day, subject)
);
