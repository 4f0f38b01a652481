import { isPrivate } from '../../platform/kit/url-trust.ts'
import { statement } from '../../platform/sql/statement.ts'
import { type Finding, warning } from '../../service/doctor/finding.ts'
import { type DefaultGrant, findGrants } from '../../service/persistence/default-grants.ts'
import type { OpenDatabase } from '../../service/persistence/open-database.ts'

/** The encryption of a connection, as the server reports it. */
interface Encryption {
  encrypted: boolean
  /** Null for a local socket. */
  address: string | null
}

const readEncryption = statement<object, Encryption>(
  'read_encryption',
  () => `
    select coalesce((select ssl from pg_stat_ssl where pid = pg_backend_pid()), false) as encrypted,
      host(inet_server_addr()) as address`,
  { unprepared: 'it runs by hand' },
)

const findOpenSchemas = statement<object, { name: string }>(
  'find_open_schemas',
  () => `
    select nspname as name from pg_namespace
    where nspname = any (current_schemas(false) || 'public'::name) and has_schema_privilege('public', oid, 'create')`,
  { unprepared: 'it runs by hand' },
)

/** Checks which other parties can read the tables: other database roles, and the network path. */
export async function checkAccess(
  { sql, names }: Pick<OpenDatabase, 'sql' | 'names'>,
  schema: string,
): Promise<Finding[]> {
  const grants = await sql.query(findGrants, { schema })
  // Databases other than PostgreSQL may lack the view.
  const [encryption] = await sql.query(readEncryption, {}).catch(() => [])
  const open = await sql.query(findOpenSchemas, {}).catch(() => [])
  return [
    ...open.map(assessOpenSchema),
    ...assessGrants(
      grants.filter(({ name }) => names.isOurs(`${schema}.${name}`)),
      schema,
    ),
    ...(encryption ? assessEncryption(encryption) : []),
  ]
}

/** Returns one finding for each role that has privileges. */
export function assessGrants(
  grants: readonly Pick<DefaultGrant, 'name' | 'grantee'>[],
  schema: string,
): Finding[] {
  const grantees = [...new Set(grants.map(({ grantee }) => grantee))]
  return grantees.map((grantee) => {
    const names = grants.filter((grant) => grant.grantee === grantee).map(({ name }) => name)
    const others = names.length > 3 ? `, and ${names.length - 3} others` : ''
    return warning(
      'privileges',
      `${grantee} has privileges on ${names.slice(0, 3).join(', ')}${others}`,
      `unless that is intended: revoke all on all tables in schema ${schema} from ${grantee}`,
    )
  })
}

/**
 * Reports a schema in which every role can create objects. Latchkey's connections omit it from
 * their search path; behind a pooler, and in transactions of a host, they do not.
 */
export const assessOpenSchema = ({ name }: { name: string }): Finding =>
  warning(
    'privileges',
    `every role can create objects in schema ${name}, and have others run them (CVE-2018-1058)`,
    `revoke create on schema ${name} from public`,
  )

export const assessEncryption = ({ encrypted, address }: Encryption): Finding[] =>
  encrypted || address === null || isPrivate(address)
    ? []
    : [
        warning(
          'encryption',
          'the connection to the database is not encrypted, and its server has a public address',
          'add sslmode=verify-full to AUTH_DATABASE_URL',
        ),
      ]
