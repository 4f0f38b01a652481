import { type AuthContext, createContext, type Deps } from '../../accounts/auth-context.ts'
import { clientNetwork } from '../../platform/kit/client-networks.ts'
import { isPublic, readIpAddress } from '../../platform/kit/ip-address.ts'
import { storableText } from '../../platform/kit/storable-text.ts'
import type { HostEntityManager, HostTransaction } from '../../platform/sql/host-transaction.ts'

/** What a call from code may say about the request that it serves, and where it is to happen. */
export interface CallOptions {
  /**
   * The client's address: the socket's peer. It is stored with sessions and in the audit log. A
   * public one tells clients apart who have messages sent (`docs/limits.md`) or ask for an address
   * that nobody has proved: without it each such request counts as another client's.
   */
  ip?: string | undefined
  userAgent?: string | undefined
  /** Joins the audit entries to the host's own log. Default: a new one. */
  requestId?: string | undefined
  /** Languages that the person reads: tags of BCP 47, the most wanted first. For messages. */
  languages?: readonly string[] | undefined
  /**
   * A MikroORM entity manager that runs a transaction on the database of the configuration:
   * everything is written in it, and comes or goes with it. Messages are sent within seconds of its
   * commit. Default: a transaction of its own.
   *
   * Most counts go with it, too. Guesses do not: beside the usual count, those made in transactions
   * are limited to 30 codes and 100 passwords per address and hour, whatever becomes of the
   * transaction.
   */
  em?: HostEntityManager | undefined
  /**
   * The same for whoever has no MikroORM: a client of `pg` between `begin` and `commit`, or
   * anything else that runs a statement in a transaction on the same database. Two more statements
   * come before the first one, to make sure of that.
   */
  tx?: HostTransaction | undefined
}

const known: Record<keyof CallOptions, true> = {
  ip: true,
  userAgent: true,
  requestId: true,
  languages: true,
  em: true,
  tx: true,
}

/**
 * Begins the context of a call from code.
 *
 * @throws TypeError for an option that there is not.
 * @internal
 */
export function openCall(deps: Deps, options: CallOptions = {}): AuthContext {
  const { ip, userAgent, requestId, languages, em, tx } = options
  // One that is passed over in silence may be a transaction, in which all of this was to happen.
  const unknown = Object.keys(options).find((name) => !Object.hasOwn(known, name))
  if (unknown !== undefined) throw new TypeError(`there is no option ${unknown}`)
  if (em === null || tx === null)
    throw new TypeError('em or tx is null: leave out what there is not')
  if (em && tx) throw new TypeError('em and tx are two transactions: one of them is to be joined')
  if (tx && typeof tx.query !== 'function') throw new TypeError('tx has to have a method query')
  const address = readIpAddress(ip ?? '')
  const request = {
    id: storableText(requestId) ?? deps.random.uuid(),
    ip: address?.text ?? null,
    // For shares of messages. Limits on requests guard the routes; a host guards its own.
    clientKey: () => (address && isPublic(address) ? clientNetwork(address) : null),
    userAgent: storableText(userAgent),
    audience: deps.config.jwt.audience,
    linkBase: () => deps.config.externalUrl,
    languages: () => languages ?? [],
    isOver: () => false,
    // Whoever called is told, and has no id to ask by.
    decided: () => {},
  }
  return createContext(deps, request, em ?? tx)
}
