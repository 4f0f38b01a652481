import { recordAlone } from '../../accounts/acts/record-act.ts'
import type { AuditAction } from '../../accounts/audit/actions.ts'
import type { AuthContext } from '../../accounts/auth-context.ts'
import { type Admin, hostCode } from '../../accounts/callers/authenticate-admin.ts'
import { isStorable } from '../../platform/kit/storable-text.ts'
import type { EnterService } from '../capability-host.ts'
import { type Violations, validationFailed } from './pages-error.ts'
import { maxId } from './read-id.ts'
import type { ListManager, NewSubscriberList } from './subscribe-pages-types.ts'
import { deleteList, findLists, insertList, updateList } from './subscriber-lists.sql.ts'

/**
 * Creates the management of lists for operators. No endpoint changes lists. The audit log contains
 * each change.
 */
export const listManager = (enter: EnterService, { role }: Admin = hostCode): ListManager => ({
  list: () => enter(({ deps }) => findLists(deps.database.sql)),
  create: async (given) => {
    const { name, description = null, listPosition = null, public: isPublic = false } = given
    const list = { name, description, listPosition, public: isPublic }
    requireFit(list)
    return enter(({ openCall }) =>
      openCall().transaction(async (tx) => {
        const stored = await insertList(tx.sql, list)
        await record(tx, role, 'subscriber_list_created', stored.id)
        return stored
      }),
    )
  },
  update: async (id, changes) => {
    requireFit(changes)
    if (!isRowId(id)) return null
    return enter(({ openCall }) =>
      openCall().transaction(async (tx) => {
        const stored = await updateList(tx.sql, id, changes)
        if (stored) await record(tx, role, 'subscriber_list_updated', id)
        return stored
      }),
    )
  },
  remove: async (id) => {
    if (!isRowId(id)) return false
    return enter(({ openCall }) =>
      openCall().transaction(async (tx) => {
        const existed = await deleteList(tx.sql, id)
        if (existed) await record(tx, role, 'subscriber_list_deleted', id)
        return existed
      }),
    )
  },
})

const record = (
  ctx: AuthContext,
  actorRole: string,
  action: Extract<AuditAction, `subscriber_list_${string}`>,
  id: number,
): Promise<void> => recordAlone(ctx, { action, actorRole, traits: { list_id: id } })

const isRowId = (id: unknown): boolean => Number.isInteger(id) && Math.abs(Number(id)) <= maxId

const maxNameLength = 255
const maxDescriptionLength = 1_000

/** The rules for the fields of a list. Absent fields are not checked. */
const rules: { [Name in keyof NewSubscriberList]-?: [(value: unknown) => boolean, string] } = {
  name: [
    (value) => isText(value, maxNameLength) && value.trim() !== '',
    `has to be a text of 1 to ${maxNameLength} characters`,
  ],
  description: [
    (value) => value === null || isText(value, maxDescriptionLength),
    `has to be a text of at most ${maxDescriptionLength} characters, or null`,
  ],
  listPosition: [(value) => value === null || isRowId(value), 'has to be a whole number, or null'],
  public: [(value) => typeof value === 'boolean', 'has to be true or false'],
}

const isText = (value: unknown, maxLength: number): value is string =>
  typeof value === 'string' && value.length <= maxLength && isStorable(value)

/** @throws SubscribePagesError 422 with all violated rules. */
function requireFit(given: Partial<NewSubscriberList>): void {
  const violations: Violations = {}
  for (const [name, value] of Object.entries(given)) {
    const rule = Object.hasOwn(rules, name) ? rules[name as keyof typeof rules] : undefined
    if (!rule) violations[name] = ['is no field of a list']
    else if (value !== undefined && !rule[0](value)) violations[name] = [rule[1]]
  }
  if ('name' in given && given.name === undefined) violations['name'] = [rules.name[1]]
  if (Object.keys(violations).length > 0) throw validationFailed(violations)
}
