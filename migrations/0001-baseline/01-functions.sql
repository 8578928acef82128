-- Functions that tables of several subjects use.

create function refuse_change() returns trigger language plpgsql as $$
begin
  raise exception 'rows of % are only ever added', tg_table_name;
end $$;

-- The masked part of a stored number (`hash.masked.keyId.box`), as src/domain/phone.ts reads it.
create function masked_msisdn(msisdn text) returns text language sql immutable as $$
  select case when msisdn = 'erased' then msisdn else split_part(msisdn, '.', 2) end
$$;

create function iso_time(moment timestamptz) returns text language sql stable as $$
  select to_char(moment at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')
$$;
