import pg from 'pg'

/** The address of the user whose rows are copied, and the password of all users. */
export const template = 'template@growth.test'
export const password = 'correct horse battery'

interface Amounts {
  users: number
  /** Per user. */
  sessions: number
  /** Per user. */
  audit: number
}

/** Ids that grow with their number, as those of Latchkey do with the time. */
const id = (kind: string, number: string) =>
  `('01900000${kind}'::text || '8000' || lpad(to_hex(${number}), 16, '0'))::uuid`

const batch = 50_000

/** Copies the rows of the template user for each other user, and refreshes the statistics. */
export async function fillDatabase(
  url: string,
  { users, sessions, audit }: Amounts,
): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  client.on('error', () => {})
  await client.connect()
  const copy = async (
    table: string,
    from: string,
    count: number,
    changes: Record<string, string>,
  ) => {
    const pairs = Object.entries(changes).map(([column, value]) => `'${column}', ${value}`)
    for (let first = 1; first <= count; first += batch) {
      await client.query(
        `insert into auth.${table} select r.*
         from (${from}) t, generate_series(${first}, ${Math.min(count, first + batch - 1)}) n,
           jsonb_populate_record(
             null::auth.${table}, to_jsonb(t) || jsonb_build_object(${pairs.join(', ')})) r`,
      )
    }
  }
  const own = `(select id from auth.users where email = '${template}')`
  const userOf = (per: number) => id('a000', `1 + (n - 1) / ${per}`)
  const at = (table: string, per: number) =>
    `${table}.created_at - n * interval '1 second' / ${per}`
  await copy('users', `select * from auth.users where email = '${template}'`, users, {
    id: id('a000', 'n'),
    email: `'user-' || n || '@growth.test'`,
    created_at: at('t', 1),
  })
  await copy('identities', `select * from auth.identities where user_id = ${own}`, users, {
    id: id('b000', 'n'),
    user_id: id('a000', 'n'),
    subject: id('a000', 'n'),
    email: `'user-' || n || '@growth.test'`,
  })
  await copy(
    'sessions',
    `select * from auth.sessions where user_id = ${own} limit 1`,
    users * sessions,
    {
      id: id('c000', 'n'),
      user_id: userOf(sessions),
    },
  )
  await copy('audit_entries', 'select * from auth.audit_entries limit 1', users * audit, {
    id: id('d000', 'n'),
    actor_id: userOf(audit),
    created_at: at('t', audit),
  })
  await client.query('vacuum analyze')
  await client.query('checkpoint')
  await client.end()
}
