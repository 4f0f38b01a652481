import type { AuthContext } from '../accounts/auth-context.ts'
import type { RequestFacts } from '../accounts/request-facts.ts'
import type { SignInName } from '../accounts/users/addresses.ts'
import {
  type FoundForSignIn,
  findForSignIn,
  type SignInLookUp,
} from '../accounts/users/find-for-sign-in.sql.ts'
import type { User } from '../accounts/users/user.ts'
import { usernameKey } from '../accounts/users/username.ts'
import { type HashingPriority, hashingPriority } from '../credentials/passwords/gate.ts'
import { hashingBusy } from '../credentials/passwords/password-errors.ts'
import { clientNetwork } from '../platform/kit/client-networks.ts'
import { sha256Hex } from '../platform/kit/digest.ts'
import { isPublic, readIpAddress } from '../platform/kit/ip-address.ts'
import { countGuess } from './count-guess.ts'
import { overRequestRateLimit } from './limit-errors.ts'
import { withLookupSemaphore } from './lookup-semaphore.ts'

/** How long a network counts as usual after a sign-in from it. */
const knownForMs = 90 * 24 * 60 * 60 * 1000

/** An attempt to use a password, and whether it is allowed. */
interface PasswordAttempt extends Pick<FoundForSignIn, 'found' | 'attemptKeys'> {
  /** The key of the attempts that are compared one after another. */
  serialKey: string
  /** Seconds until the next attempt is allowed; null where this one is allowed and was counted. */
  waitSeconds: number | null
  /** The fairness key and priority of the comparison. */
  priority: HashingPriority
}

/**
 * Counts an attempt to use a password and finds the user with the address or user name. The count
 * precedes the comparison, so that parallel attempts cannot exceed the limit. An attempt that finds
 * the queue of password hashing full is not counted; one that loses its place in it later is.
 *
 * @param audience the audience that the user belongs to.
 * @throws AuthError `service_unavailable` (503) when that queue is full.
 * @throws AuthError `over_request_rate_limit` (429) after too many wrong passwords in a row.
 */
export const countPasswordAttempt = async (
  ctx: AuthContext,
  name: SignInName,
  audience: string,
): Promise<PasswordAttempt> => {
  const admits = (user: 'known' | 'unknown') =>
    ctx.passwords.admits(hashingPriority(ctx, name.value, user))
  const take = () =>
    takeAttempt(ctx, name, audience, {
      atUsualPlace: admits('known'),
      elsewhere: admits('unknown'),
    })
  const attempt = requireAttempt(ctx, await withLookupSemaphore(ctx, 'password', name.value, take))
  if (attempt.attemptKeys.length === 0) throw hashingBusy()
  return attempt
}

/**
 * Counts an attempt by a client that has a session of the user. It is counted with the attempts of
 * sign-ins, since both compare the same password.
 */
export const takeOwnPasswordAttempt = (ctx: AuthContext, user: User): Promise<PasswordAttempt> =>
  takeAttempt(ctx, ownSubject(ctx, user), user.audience)

/** Returns the name that the user signs in with; the id of one without such a name. */
function ownSubject(
  { config }: AuthContext,
  { id, email, phone, username }: User,
): SignInLookUp['subject'] {
  if (email) return { kind: 'email', value: email }
  if (phone) return { kind: 'phone', value: phone }
  if (config.usernames.enabled && username) {
    return { kind: 'username', value: usernameKey(username) }
  }
  return { kind: 'id', value: id }
}

/** @throws AuthError `over_request_rate_limit` (429) when the attempt has to wait. */
export function requireAttempt(
  { request }: AuthContext,
  attempt: PasswordAttempt,
): PasswordAttempt {
  if (attempt.waitSeconds === null) return attempt
  request.decided({ kind: 'limit', rule: 'password_attempts' })
  throw overRequestRateLimit(attempt.waitSeconds)
}

async function takeAttempt(
  ctx: AuthContext,
  subject: SignInLookUp['subject'],
  audience: string,
  admits: SignInLookUp['admits'] = { atUsualPlace: true, elsewhere: true },
): Promise<PasswordAttempt> {
  const network = ownNetwork(ctx.request)
  const keys = attemptKeys(audience, subject, network)
  if (!(await countGuess(ctx, 'password', subject.value))) {
    const priority = hashingPriority(ctx, subject.value, 'unknown')
    return { found: null, attemptKeys: [], serialKey: keys.anywhere, waitSeconds: 60, priority }
  }
  const { waitSeconds, ...looked } = await findForSignIn(ctx.sql, {
    subject,
    audience,
    network,
    databaseNow: ctx.databaseNow(),
    freeFailures,
    maxWaitSeconds,
    keys,
    place: placeOf(ctx.request),
    attemptId: ctx.random.uuid(),
    knownSince: new Date(ctx.clock.now().getTime() - knownForMs),
    admits,
  })
  return {
    ...looked,
    // At a usual place, the owner does not wait for the comparisons of other clients.
    serialKey: looked.isUsualPlace ? keys.fromClient : keys.anywhere,
    waitSeconds: waitSeconds === null ? null : Math.max(1, Math.ceil(waitSeconds)),
    priority: hashingPriority(ctx, subject.value, looked.isUsualPlace ? 'known' : 'unknown'),
  }
}

/** Returns the network of a request, whether or not other clients share it. */
function placeOf({ ip }: RequestFacts): string | null {
  const address = readIpAddress(ip ?? '')
  return address && clientNetwork(address)
}

/**
 * Returns the network that identifies a client; null where other clients share its address. A
 * private address is that of a proxy, unless the operator declared a header that contains it. A
 * client whose declared header contains no address has the address of the proxy only, even if that
 * is public.
 */
function ownNetwork({ ip, clientKey }: RequestFacts): string | null {
  const address = readIpAddress(ip ?? '')
  if (!address) return null
  const network = clientNetwork(address)
  const key = clientKey()
  const isOwn = key === null ? isPublic(address) : key === network
  return isOwn ? network : null
}

/** The number of wrong passwords in a row without a wait. SP 800-63B §5.2.2 allows up to 100. */
export const freeFailures = 50

/** The maximum of the wait, which doubles from one second with each further failure. */
const maxWaitSeconds = 900

/**
 * The keys that attempts for an address are counted under.
 *
 * Attempts are counted for the user as well, per kind of address: a client with a session that
 * changes the address gets no new guesses. `userAttemptKey` is that key. They are not counted for
 * the user across kinds: guesses at an email address would reveal the owner of a phone number.
 *
 * There are two counts of each: one for all clients, and one for a network that the user has
 * recently signed in from. Other clients use up the first count and wait for each other; the owner
 * at a usual network is counted by the second and does not wait for them. An address that many
 * clients share, such as that of an undeclared proxy, is no usual network.
 */
interface AttemptKeys {
  anywhere: string
  fromClient: string
}

export function attemptKeys(
  audience: string,
  { kind, value }: { kind: string; value: string },
  network: string | null,
): AttemptKeys {
  const anywhere = JSON.stringify([audience, kind, value])
  return {
    anywhere: sha256Hex(anywhere),
    fromClient: sha256Hex(JSON.stringify([audience, kind, value, network])),
  }
}
