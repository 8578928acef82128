-- Recovery after a restore: the fence that forbids changes and sending.

-- A time in which the service serves only reads; at most one row is in MAINTENANCE.
create table maintenance_fences (
  id bigint generated always as identity primary key,
  raised_at timestamptz not null default now(),
  -- The restored database lacks what happened after this moment.
  restored_to timestamptz not null,
  state text not null default 'MAINTENANCE' check (state in ('MAINTENANCE', 'LIFTED')),
  -- When the effects at all providers were booked completely.
  booked_at timestamptz,
  lifted_at timestamptz,
  check ((state = 'LIFTED') = (lifted_at is not null))
);
create unique index maintenance_fences_one on maintenance_fences (state)
  where state = 'MAINTENANCE';

-- One row: the timeline of PostgreSQL that operators have accepted. Another one is a promotion or a
-- restore.
create table database_timeline (
  is_only boolean primary key default true check (is_only),
  timeline bigint not null,
  accepted_at timestamptz not null default now()
);
insert into database_timeline (timeline)
  values (('x' || left(pg_walfile_name(pg_current_wal_lsn()), 8))::bit(32)::bigint);
