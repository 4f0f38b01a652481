import type { NamedQuery } from '../sql/queryable.ts'
import { columns } from './columns.ts'
import type { MigrationNames } from './migration.ts'

/** Where the tables are: the PostgreSQL schema, and a prefix of their names. */
export interface Namespace {
  schema: string
  namespace: string
}

/** Spells the names of tables for statements that are written by hand. */
export interface TableNames extends MigrationNames {
  insertRows(name: string, rows: string): string
  overwrite(name: string, key: string): string
  setColumns(name: string, row: string, changes: string): string
  /** The text of a statement, built at its first use and kept. */
  textOf(statement: Pick<NamedQuery, 'name' | 'text'>): string
}

export function tableNames({ schema, namespace }: Namespace): TableNames {
  const columnsOf = (name: string): string[] => {
    const list = columns[name]
    if (list === undefined) throw new TypeError(`there is no table ${name}`)
    return list.map(quoted)
  }
  const listOf = (name: string): string => columnsOf(name).join(', ')
  const texts = new Map<string, string>()
  const table = (name: string) => `${quoted(schema)}.${quoted(namespace + name)}`

  return {
    schema: quoted(schema),
    table,
    prefixed: (name) => quoted(namespace + name),
    textOf: ({ name, text }) => {
      const known = texts.get(name)
      if (known !== undefined) return known
      const built = text()
      if (name !== '') texts.set(name, built)
      return built
    },
    insertRows: (name, rows) => {
      const list = listOf(name)
      return `insert into ${table(name)} (${list})
        select ${list} from jsonb_populate_recordset(null::${table(name)}, ${rows}::jsonb)`
    },
    overwrite: (name, key) => {
      const given = columnsOf(name).map((column) => `excluded.${column}`)
      return `on conflict (${key}) do update set (${listOf(name)}) = row(${given.join(', ')})`
    },
    setColumns: (name, row, changes) => {
      const all = columnsOf(name)
      const list = all.filter((column) => column !== version).join(', ')
      const counted = all.includes(version) ? `, ${version} = ${row}.${version} + 1` : ''
      return `(${list}) = (select ${list} from jsonb_populate_record(${row}, ${changes}::jsonb))${counted}`
    },
  }
}

/** Counts the updates of a row. */
const version = '"version"'

const quoted = (name: string): string => `"${name}"`
