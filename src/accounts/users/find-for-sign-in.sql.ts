import { isClockSetBack, latestInstant, sharedInstant } from '../../platform/sql/clock-set-back.ts'
import type { Queryable } from '../../platform/sql/queryable.ts'
import { statement } from '../../platform/sql/statement.ts'
import type { SignInName } from './addresses.ts'
import type { UserWithPassword } from './find-user.sql.ts'
import { isFoundByAddress } from './found-by-address.sql.ts'
import { userAttemptText } from './user-attempt-key.ts'
import { toUser, type UserRow, userExpression } from './user-row.ts'

export interface SignInLookUp {
  /** An address or user name, or the id of a user without either. */
  subject: SignInName | { kind: 'id'; value: string }
  audience: string
  /** A new id. It shows afterwards whether this attempt was counted or has to wait. */
  attemptId: string
  /**
   * The keys under which the attempt is counted: for all clients, and for a client from which the
   * user signed in before.
   */
  keys: { anywhere: string; fromClient: string }
  /** The network of the client, in CIDR notation. */
  network: string | null
  /**
   * The network of the client where others share it, as behind a proxy. A user who signed in from
   * there gets priority.
   */
  place: string | null
  /** Sessions opened after this instant make their address a known one. */
  knownSince: Date
  /** The instant that replaces the database's clock; null, as in production, for that clock. */
  databaseNow: Date | null
  freeFailures: number
  maxWaitSeconds: number
  /**
   * Whether an attempt can be compared now: that of a user who recently signed in from `place`, and
   * any other. One that cannot is not counted.
   */
  admits: { atUsualPlace: boolean; elsewhere: boolean }
}

export interface FoundForSignIn {
  found: UserWithPassword | null
  /**
   * The keys under which the attempt was counted: for the address, and for its user. None if it
   * cannot be compared now.
   */
  attemptKeys: readonly string[]
  /**
   * The seconds for which passwords for this address have to wait; null when this attempt was
   * counted.
   */
  waitSeconds: number | null
  /**
   * Whether the user recently signed in from the shared network. It determines only the priority.
   */
  isUsualPlace: boolean
}

interface Row {
  user: UserRow | null
  password_hash: string | null
  keys: string[]
  counted: boolean
  wait_seconds: number | null
  is_usual_place: boolean
}

const hashOf = (text: string): string => `encode(sha256(convert_to(${text}, 'UTF8')), 'hex')`

/**
 * Returns a condition: an address is in a network. The bounds serve the index, since PostgreSQL
 * derives them from `<<=` only for constants: addresses of a network sort after it, and its last
 * one has no mask.
 */
const isWithin = (address: string, network: string): string =>
  `${address} <<= ${network} and ${address} >= network(${network})::inet
          and ${address} <= set_masklen(broadcast(${network}), -1)`

type SignInParameters = {
  subject: string
  audience: string
  attemptId: string
  anywhere: string
  fromClient: string
  network: string | null
  /** The network as text; empty without one. */
  networkKey: string
  place: string | null
  knownSince: string
  databaseNow: string | null
  freeFailures: number
  maxWaitSeconds: number
  admitsAtUsualPlace: boolean
  admitsElsewhere: boolean
}

const columnOf = { email: 'email', phone: 'phone', username: 'username_key', id: 'id' } as const

const findBy = (kind: SignInLookUp['subject']['kind']) =>
  statement<SignInParameters, Row>(`find_for_sign_in_by_${kind}`, (sql, $) => {
    const wait = `make_interval(secs => least(${$.maxWaitSeconds}::float8,
      power(2, least(greatest(a.failures - ${$.freeFailures}::int, 0), 30))))`
    const now = sharedInstant($.databaseNow)
    // A statement that waited for the row is older than it, so the time alone does not prove that
    // there is a wait.
    const mustWait = `(a.failures >= ${$.freeFailures}::int and ${now} < a.attempted_at + ${wait}
      and not ${isClockSetBack('a.attempted_at', now)})`
    const mayTry = `case when usual_place.is_usual then ${$.admitsAtUsualPlace}::boolean
      else ${$.admitsElsewhere}::boolean end`
    // The look-ups of sessions take as long without a user. The networks and the time are columns: as
    // parameters they would let PostgreSQL estimate a lower cost for each execution than for all, so
    // that it would plan each one again.
    return `
      with u as materialized (
        select u.* from ${sql.table('users')} u
        where u.${columnOf[kind]} = ${$.subject} and u.audience = ${$.audience}
          and ${isFoundByAddress('u')}
      ), c as materialized (
        select coalesce((select id from u), ${$.attemptId}::uuid) as user_id,
          ${$.network}::inet as network, ${$.place}::inet as place,
          ${$.knownSince}::timestamptz as known_since
      ), place as (
        select exists (
          select from ${sql.table('sessions')} s join c on s.user_id = c.user_id
          where ${isWithin('s.opened_ip', 'c.network')} and s.created_at > c.known_since
        ) as is_usual
      ), usual_place as (
        select exists (
          select from ${sql.table('sessions')} s join c on s.user_id = c.user_id
          where ${isWithin('s.opened_ip', 'c.place')} and s.created_at > c.known_since
        ) as is_usual
      ), k as (
        select case when is_usual then ${$.fromClient} else ${$.anywhere} end as key from place
        union all
        select ${hashOf(`coalesce(
          (select ${userAttemptText('u.id', kind, `case when is_usual then ${$.networkKey}::text else '' end`)} from u),
          'nobody:' || ${$.anywhere}::text)`)} from place
      ), attempt as (
        insert into ${sql.table('password_attempts')} as a
          (key, failures, last_attempt, attempted_at)
        select key, 1, ${$.attemptId}::uuid, ${now} from k
        where (select ${mayTry} from usual_place)
        order by key
        on conflict (key) do update set
          failures = case when ${mustWait} then a.failures else a.failures + 1 end,
          last_attempt = case when ${mustWait} then a.last_attempt else ${$.attemptId}::uuid end,
          attempted_at = case when ${mustWait} then a.attempted_at
            else ${latestInstant('a.attempted_at', now)} end
        returning a.key, a.failures, a.last_attempt = ${$.attemptId}::uuid as counted,
          extract(epoch from a.attempted_at + ${wait} - ${now})::float8 as wait_seconds
      )
      select attempts.*, usual_place.is_usual as is_usual_place,
        -- To read the user of a rejected attempt would take longer than to find none.
        case when attempts.counted then u.password_hash end as password_hash,
        case when attempts.counted and u.id is not null then ${userExpression(sql, 'u')} end as user
      from (
        select coalesce(to_jsonb(array_agg(key)), '[]') as keys, bool_and(counted) as counted,
          max(wait_seconds) filter (where not counted) as wait_seconds
        from attempt
      ) attempts cross join usual_place left join u on true`
  })

const findFor = {
  email: findBy('email'),
  phone: findBy('phone'),
  username: findBy('username'),
  id: findBy('id'),
}

/**
 * Finds the user of an address and counts the attempt, in one statement, before any password is
 * verified: of many parallel attempts, no more than the free ones proceed. It counts for the
 * address, known or not, and for the user, because the user may have had another address before.
 * Without a user it counts for a decoy. An attempt that cannot be compared is not counted.
 */
export async function findForSignIn(sql: Queryable, lookUp: SignInLookUp): Promise<FoundForSignIn> {
  const { subject, keys, network } = lookUp
  const [row] = await sql.query(findFor[subject.kind], {
    subject: subject.value,
    audience: lookUp.audience,
    attemptId: lookUp.attemptId,
    anywhere: keys.anywhere,
    fromClient: keys.fromClient,
    network,
    networkKey: network ?? '',
    place: lookUp.place,
    knownSince: lookUp.knownSince.toISOString(),
    databaseNow: lookUp.databaseNow?.toISOString() ?? null,
    freeFailures: lookUp.freeFailures,
    maxWaitSeconds: lookUp.maxWaitSeconds,
    admitsAtUsualPlace: lookUp.admits.atUsualPlace,
    admitsElsewhere: lookUp.admits.elsewhere,
  })
  if (!row) throw new Error('an attempt was not counted')
  return {
    found: row.user && { user: toUser(row.user), passwordHash: row.password_hash },
    attemptKeys: row.keys,
    isUsualPlace: row.is_usual_place,
    waitSeconds: row.wait_seconds,
  }
}
