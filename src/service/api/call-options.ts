import type { AuditOperator } from '../../accounts/audit/audit-row.ts'
import type { AuthContext, Deps } from '../../accounts/auth-context.ts'
import { createContext } from '../../accounts/create-context.ts'
import { requireIpText } from '../../platform/http/request-options.ts'
import { clientNetwork } from '../../platform/kit/client-networks.ts'
import { isPublic, readIpAddress } from '../../platform/kit/ip-address.ts'
import { isStorable, storableText } from '../../platform/kit/storable-text.ts'
import { isUuid } from '../../platform/kit/uuid.ts'
import type { HostEntityManager, HostTransaction } from '../../platform/sql/host-transaction.ts'

/** Options of a call from code: the request that it serves, and its transaction. */
export interface CallOptions {
  /**
   * The client's address: the socket's peer. It is stored with sessions and in the audit log. A
   * public one identifies clients that cause messages (`docs/limits.md`) or request an unconfirmed
   * address: without it, each such request counts as that of another client.
   */
  ip?: string | undefined
  userAgent?: string | undefined
  /** The request id, which joins the audit entries to the host's own log. Default: a new one. */
  requestId?: string | undefined
  /**
   * The user who operates through the caller's code, for methods of `auth.admin`: the actor in the
   * audit log. `auth.admin` verifies neither the user nor the permission. Default: none; the log
   * contains the role `host`.
   */
  actor?: CallActor | undefined
  /** The user's languages: tags of BCP 47, the preferred first. For messages. */
  languages?: readonly string[] | undefined
  /**
   * A MikroORM entity manager that runs a transaction on the configured database: all writes are
   * committed or rolled back with it. Messages are sent within seconds of its commit. Default: a
   * transaction of its own.
   *
   * Most counters are part of it, too. Attempt counters are not: in addition to the usual ones,
   * guesses in transactions are limited to 30 codes and 100 passwords per address and hour, also
   * after a rollback.
   */
  em?: HostEntityManager | undefined
  /**
   * The transaction of hosts without MikroORM: a client of `pg` between `begin` and `commit`, or any
   * object that runs statements in a transaction on the same database. Two statements before the
   * first one verify that.
   */
  tx?: HostTransaction | undefined
}

/** A user who operates through the caller's code. */
export interface CallActor {
  id: string
  /** Default: `host`. */
  role?: string | undefined
}

const known: Record<keyof CallOptions, true> = {
  actor: true,
  ip: true,
  userAgent: true,
  requestId: true,
  languages: true,
  em: true,
  tx: true,
}

/**
 * Creates the context of a call from code.
 *
 * @throws TypeError for an unknown option, an address that is no text, and an actor that is not a
 *   user.
 * @internal
 */
export function openCall(deps: Deps, options: CallOptions = {}): AuthContext {
  const { ip, userAgent, requestId, actor, languages, em, tx } = options
  // An ignored option could be a misspelled transaction, outside which the call would then run.
  const unknown = Object.keys(options).find((name) => !Object.hasOwn(known, name))
  if (unknown !== undefined) throw new TypeError(`unknown option ${unknown}`)
  if (em === null || tx === null)
    throw new TypeError('em or tx is null: omit an option that is not used')
  if (em && tx) throw new TypeError('em and tx are two transactions: pass only one of them')
  if (tx && typeof tx.query !== 'function') throw new TypeError('tx must have a method query')
  requireIpText(ip)
  const address = readIpAddress(ip ?? '')
  const request = {
    id: storableText(requestId) ?? deps.random.uuid(),
    ip: address?.text ?? null,
    // For message budgets. Limits on requests protect the routes; a host protects its own.
    clientKey: () => (address && isPublic(address) ? clientNetwork(address) : null),
    userAgent: storableText(userAgent),
    operator: readActor(actor),
    audience: deps.config.jwt.audience,
    linkBase: () => deps.config.externalUrl,
    languages: () => languages ?? [],
    isCall: true,
    isOver: () => false,
    // The caller receives the error itself, and has no request id to query.
    decided: () => {},
  }
  return createContext(deps, request, em ?? tx)
}

/**
 * Creates the context of a call for a user: the actor is the user.
 *
 * @throws TypeError as {@link openCall}, and for an actor among the options.
 * @internal
 */
export function openCallForUser(deps: Deps, options?: CallOptions): AuthContext {
  const ctx = openCall(deps, options)
  if (ctx.request.operator) throw new TypeError('actor is an option of auth.admin')
  return ctx
}

/** An actor that is not recorded would make the act one of the host. */
function readActor(actor: CallActor | undefined): AuditOperator | null {
  if (actor === undefined) return null
  const { id, role } = Object(actor) as Partial<CallActor>
  if (typeof id !== 'string' || !isUuid(id)) throw new TypeError('actor.id must be a UUID')
  if (role !== undefined && (typeof role !== 'string' || role === '' || !isStorable(role)))
    throw new TypeError('actor.role must be a text')
  return { id: id.toLowerCase(), role: role ?? null }
}
