import type { BuiltInCapability } from '../../capabilities/capability.ts'
import type { MigrationNames } from '../../platform/sql/migration.ts'
import {
  type BuiltStatement,
  buildStatement,
  type ParameterValues,
  type Statement,
} from '../../platform/sql/statement.ts'
import type { TableFragments } from '../../platform/sql/tables.ts'
import { builtInCapabilities } from '../capabilities.ts'
import { columns } from './columns.ts'

/** The place of the tables: the PostgreSQL schema, and a prefix of their names. */
export interface Namespace {
  schema: string
  namespace: string
}

/** Spells the names of tables for handwritten statements. */
export interface TableNames extends TableFragments, Pick<MigrationNames, 'schema' | 'prefixed'> {
  /** Returns a statement with its text, which is built at its first use and kept. */
  built<Parameters, Row>(
    statement: Statement<Parameters, Row>,
    values: ParameterValues,
  ): BuiltStatement
  /**
   * Whether this is our schema, or one of our tables with its schema, as PostgreSQL writes them:
   * `auth.users`.
   */
  isOurs(name: string): boolean
}

/**
 * @param capabilities the ones whose grants end with acts. Default: all that a service contains.
 */
export function tableNames(
  { schema, namespace }: Namespace,
  capabilities: readonly Pick<
    BuiltInCapability,
    'name' | 'endGrants' | 'endConsents' | 'reportEnded'
  >[] = builtInCapabilities,
): TableNames {
  const columnsOf = (name: string): string[] => {
    const list = columns[name]
    if (list === undefined) throw new TypeError(`unknown table ${name}`)
    return list.map(quoted)
  }
  const listOf = (name: string): string => columnsOf(name).join(', ')
  const statements = new WeakMap<object, BuiltStatement>()
  const own = new Set([
    schema,
    ...Object.keys(columns).map((name) => `${schema}.${namespace}${name}`),
  ])
  const table = (name: string) => `${quoted(schema)}.${quoted(namespace + name)}`

  /** Returns common table expressions with the statements of each capability. */
  const statementsOf = (
    prefix: string,
    rows: string,
    of: (capability: (typeof capabilities)[number]) => BuiltInCapability['endGrants'],
  ): string =>
    capabilities
      .flatMap((capability) =>
        [of(capability)(fragments, rows)].flat().map((text, at) => {
          const name = `${prefix}_${capability.name.replaceAll('-', '_')}${at > 0 ? `_${at}` : ''}`
          return `, ${name} as (\n      ${text}\n    )`
        }),
      )
      .join('')

  const fragments: TableFragments = {
    table,
    insertRows: (name: string, rows: string) => {
      const list = listOf(name)
      return `insert into ${table(name)} (${list})
        select ${list} from jsonb_populate_recordset(null::${table(name)}, ${rows}::jsonb)`
    },
    overwrite: (name: string, key: string) => {
      const given = columnsOf(name).map((column) => `excluded.${column}`)
      return `on conflict (${key}) do update set (${listOf(name)}) = row(${given.join(', ')})`
    },
    setColumns: (name: string, row: string, changes: string) => {
      const all = columnsOf(name)
      const list = all.filter((column) => column !== version).join(', ')
      const counted = all.includes(version) ? `, ${version} = ${row}.${version} + 1` : ''
      return `(${list}) = (select ${list} from jsonb_populate_record(${row}, ${changes}::jsonb))${counted}`
    },
    grantEndings: (users) => statementsOf('ended_by', users, ({ endGrants }) => endGrants),
    consentEndings: (users) =>
      statementsOf('consents_ended_by', users, ({ endConsents }) => endConsents ?? (() => [])),
    // A statement may report several kinds of ends.
    sessionReports: (sessions) =>
      statementsOf(
        `${sessions}_reported_by`,
        sessions,
        ({ reportEnded }) => reportEnded ?? (() => []),
      ),
  }
  return {
    ...fragments,
    schema: quoted(schema),
    built: (statement, values) => {
      const known = statements.get(statement)
      if (known !== undefined) return known
      const built = buildStatement(statement, fragments, values)
      statements.set(statement, built)
      return built
    },
    prefixed: (name) => quoted(namespace + name),
    isOurs: (name) => own.has(name),
  }
}

/** Counts the updates of a row. */
const version = '"version"'

const quoted = (name: string): string => `"${name}"`
