import type { SqlLanguage } from '../../../src/capabilities/formatter-config/formatter-config.ts'

/** Statements that every language accepts. */
export const commonStatements: readonly string[] = [
  "select u.id, u.email as address, count(s.id) from users u left join sessions s on s.user_id = u.id where u.role in ('staff', 'admin') and s.revoked_at is null group by u.id, u.email having count(s.id) > 2 order by u.email desc, u.id",
  "insert into users (id, email, role) values (1, 'ada@example.com', 'staff'), (2, 'it''s me', null)",
  "update users set role = 'staff', updated_at = current_timestamp where id = 1 or (email = 'ada@example.com' and role <> 'admin')",
  'delete from sessions where not exists (select 1 from users where users.id = sessions.user_id)',
  "create table factors (id int not null primary key, user_id int not null, kind varchar(20) default 'totp', unique (user_id, kind))",
  'create view staff as select id, email from users where role = 3',
  'alter table factors add column verified_at timestamp',
  'drop table factors',
  "select case when a between 1 and 10 then 'few' when a > 10 then 'many' else 'none' end as amount from t",
  'with recent as (select * from sessions where age < 30), old as (select * from sessions) select * from recent union all select * from old',
  'select coalesce(first_name, last_name, email, phone, id, nothing_else, whatever_comes_last) from people -- who is it\nwhere a + b * (c - 2) / 4 >= -1',
  '/* several\n   lines */ select /* within */ 1; -- and behind\nselect 2;\n\n\n\nselect 3',
  'select row_number() over (partition by owner order by id) as n from pages p cross join lists l',
]

/** Statements of each language with its own syntax. */
export const ownStatements: Readonly<Record<SqlLanguage, readonly string[]>> = {
  sql: ['select * from t where a = ? fetch first 5 rows only', 'truncate table t'],
  bigquery: [
    'select * except (secret) from `project.data.users` where id = @id and tags[offset(0)] = "x"',
    'select struct(1 as a, "b" as b), array<int64>[1, 2, 3] from unnest([1, 2]) as n with offset',
    "create or replace table data.copy partition by day options (description = 'x') as select 1",
  ],
  clickhouse: [
    'select id from events final prewhere day = {day:Date} where kind = 1 limit 5 by id settings max_threads = 2',
    'create table events (id UInt64, at DateTime) engine = MergeTree() order by (id, at)',
    'select arrayMap(x -> x + 1, [1, 2, 3]), a ? b : c from t format JSON',
  ],
  db2: ['select * from t where a = :a fetch first 5 rows only with ur', 'values (1, 2), (3, 4)'],
  db2i: [
    'select * from lib.t where a = ? and b = :b',
    'select * from lib.t fetch first 5 rows only',
  ],
  duckdb: [
    "select * exclude (secret) from read_csv('a.csv') where x = $1 qualify row_number() over (order by x) = 1",
    "copy (select {'a': 1, 'b': [1, 2]} as s) to 'x.parquet' (format parquet)",
    'from t select a, b[1:2], x::int',
  ],
  hive: [
    'insert overwrite table a partition (ds) select * from b lateral view explode(xs) e as x',
    "create external table t (a int, b map<string, int>) stored as orc location '/x'",
  ],
  mariadb: [
    'select `a b` from t where x = ? limit 5, 10',
    'insert into t (a) values (1) on duplicate key update a = values(a) returning a',
    'create or replace table t (id int auto_increment primary key) engine = innodb',
  ],
  mysql: [
    'select `a b`, @v := 1 from t use index (i) where x <=> ? limit 5 for update skip locked',
    'insert ignore into t set a = 1',
    "alter table t modify column a varchar(10) character set utf8mb4 comment 'x', algorithm = inplace",
  ],
  tidb: [
    'create table t (id bigint auto_random primary key, key k (id)) shard_row_id_bits = 4',
    'select `a b` from t as of timestamp now() where x = ?',
  ],
  n1ql: [
    'select meta(b).id, b.* from bucket b use keys "k1" where any x in b.tags satisfies x = $name end',
    'upsert into bucket (key, value) values ("k", {"a": [1, 2], "b": null}) returning *',
  ],
  plsql: [
    'select * from users where id = :id and n = :1 start with a = 1 connect by prior b = a',
    'merge into t using s on (t.id = s.id) when matched then update set t.a = s.a when not matched then insert (id) values (s.id)',
    "select q'[it's]' from dual where a(+) = b",
  ],
  postgresql: [
    `create policy "own rows" on auth.users for select to authenticated using (id = auth.uid() and (data ->> 'a')::int = $1)`,
    'create function f() returns int as $$ begin return 1; end $$ language plpgsql stable set search_path = auth',
    'insert into t (a, b) values ($1, $2) on conflict (a) do update set b = excluded.b where t.b is distinct from excluded.b returning id',
    "select array[1, 2] || '{3}'::int[], data #>> '{a,b}', e'\\n', x at time zone 'utc' from t where tags @> array['x'] and data ? 'a' limit 5 for update skip locked",
    'create unique index concurrently if not exists i on t using gin (data jsonb_path_ops) where a is not null',
  ],
  redshift: [
    'create table t (a int encode zstd) diststyle key distkey (a) sortkey (a)',
    "copy t from 's3://x' iam_role 'arn' format as parquet",
    'select a::date, listagg(b, $1) within group (order by b) from t group by 1',
  ],
  singlestoredb: [
    'create table t (a int, shard key (a), sort key (a)) ',
    'select a::b, `c d` from t where x = 1 limit 5',
  ],
  snowflake: [
    'select data:owner.id::int as owner_id from pages qualify row_number() over (partition by owner_id order by id) = 1',
    "create or replace stage s url = 's3://x' file_format = (type = csv)",
    'select t.$2, f.value from t, lateral flatten(input => t.x) f',
  ],
  spark: [
    'select a from t lateral view explode(xs) e as x distribute by a sort by a',
    "create table t (a int, b array<string>) using parquet tblproperties ('a' = 'b')",
    'select transform(xs, x -> x + 1), `a b` from t tablesample (5 percent)',
  ],
  sqlite: [
    'insert into kv (k, v) values (?1, :v) on conflict (k) do update set v = excluded.v',
    'select [a b], "c", `d` from t where x = @x and y glob $y or z match ? limit 5 offset 2',
    'create table t (id integer primary key autoincrement, a text) without rowid',
  ],
  transactsql: [
    'select top 5 [user name], @v from [dbo].[users] with (nolock) where id = @id option (recompile)',
    'merge t using s on t.id = s.id when matched then update set a = s.a when not matched by source then delete output $action;',
    "declare @a int = 1; if @a > 0 begin select N'x' end",
    'select * from t order by a offset 5 rows fetch next 5 rows only for json path',
  ],
  trino: [
    'select a from t cross join unnest(xs) with ordinality as u (x, n) where y = ?',
    'select transform(xs, x -> x + 1), cast(row(1, 2) as row(a int, b int)), map(array[1], array[2]) from t',
    "create table t with (format = 'orc') as select * from s",
  ],
}
