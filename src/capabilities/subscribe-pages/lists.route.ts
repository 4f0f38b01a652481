import { listNotFound } from './pages-error.ts'
import { readId } from './read-id.ts'
import type { Register } from './register.ts'
import { findPublicList } from './subscriber-lists.sql.ts'

/**
 * `GET /lists/{listId}/public`: the fields of a list that a form shows. 404 for a list that is not
 * public.
 */
export function publicListRoute(register: Register): void {
  register('GET', '/lists/:listId(\\d+)/public', async ({ event, ctx: { sql } }) => {
    const id = readId(event, 'listId')
    const list = id === null ? null : await findPublicList(sql, id)
    if (!list) throw listNotFound()
    const { name, description, listPosition } = list
    return { id, name, description, list_position: listPosition }
  })
}
