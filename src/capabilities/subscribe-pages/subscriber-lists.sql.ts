import type { Queryable } from '../../platform/sql/queryable.ts'
import { statement } from '../../platform/sql/statement.ts'
import type { NewSubscriberList, SubscriberList } from './subscribe-pages-types.ts'

/** Columns with the names of the type. */
const columns = 'id, name, description, list_position as "listPosition", public'

const findPublic = statement<{ id: number }, SubscriberList>(
  'find_public_subscriber_list',
  (sql, $) => `
    select ${columns} from ${sql.table('subscriber_lists')} where id = ${$.id} and public`,
)

export async function findPublicList(sql: Queryable, id: number): Promise<SubscriberList | null> {
  const [list] = await sql.query(findPublic, { id })
  return list ?? null
}

const findAll = statement<object, SubscriberList>(
  'find_subscriber_lists',
  (sql) => `
    select ${columns} from ${sql.table('subscriber_lists')} order by list_position nulls last, id`,
)

export const findLists = (sql: Queryable): Promise<SubscriberList[]> => sql.query(findAll, {})

type ListParameters = Required<NewSubscriberList>

const insert = statement<ListParameters, SubscriberList>(
  'insert_subscriber_list',
  (sql, $) => `
    insert into ${sql.table('subscriber_lists')} (name, description, list_position, public)
    values (${$.name}, ${$.description}, ${$.listPosition}, ${$.public}) returning ${columns}`,
)

export async function insertList(
  sql: Queryable,
  list: Required<NewSubscriberList>,
): Promise<SubscriberList> {
  const [inserted] = await sql.query(insert, list)
  return inserted as SubscriberList
}

/** The changes by the names of columns. Columns that are missing in it keep their values. */
type Changes = { id: number; changes: string }

const update = statement<Changes, SubscriberList>(
  'update_subscriber_list',
  (sql, $) => `
    update ${sql.table('subscriber_lists')} l
    set (name, description, list_position, public) = (
      select name, description, list_position, public
      from jsonb_populate_record(l, ${$.changes}::jsonb))
    where id = ${$.id} returning ${columns}`,
)

export async function updateList(
  sql: Queryable,
  id: number,
  { listPosition, ...others }: Partial<NewSubscriberList>,
): Promise<SubscriberList | null> {
  const changes = JSON.stringify({ ...others, list_position: listPosition })
  const [updated] = await sql.query(update, { id, changes })
  return updated ?? null
}

const deletion = statement<{ id: number }>(
  'delete_subscriber_list',
  (sql, $) => `delete from ${sql.table('subscriber_lists')} where id = ${$.id} returning id`,
)

export async function deleteList(sql: Queryable, id: number): Promise<boolean> {
  const rows = await sql.query(deletion, { id })
  return rows.length > 0
}
