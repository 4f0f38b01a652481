import type { HookPoint } from '../../platform/config/sections/hooks.ts'
import { isRecord } from '../../platform/kit/is-record.ts'

type Check = (value: unknown) => boolean
type Grammar = Readonly<Record<string, Check>>

const isText: Check = (value) => typeof value === 'string'
const isAny: Check = () => true

const decision: Grammar = {
  decision: (value) => value === 'continue' || value === 'reject',
  message: isText,
}

/**
 * The permitted members of each protecting hook's response, in addition to `error`. A response with
 * a misspelled member or another type must not count as approval. Hooks that deliver messages or
 * receive events protect nothing: further members are ignored.
 */
const answers: Readonly<Partial<Record<HookPoint, Grammar>>> = {
  beforeUserCreated: {},
  mfaVerificationAttempt: decision,
  passwordVerificationAttempt: {
    ...decision,
    should_logout_user: (value) => typeof value === 'boolean',
  },
  // Database functions commonly change the claims of their event, and return the event.
  customAccessToken: {
    claims: isRecord,
    metadata: isAny,
    user_id: isAny,
    authentication_method: isAny,
  },
}

/**
 * Returns the error in a response; null if it conforms to the grammar. A null member counts as
 * absent.
 */
export function answerFault(
  point: HookPoint,
  answer: Readonly<Record<string, unknown>>,
): string | null {
  const grammar = answers[point]
  if (grammar === undefined) return null
  const members = Object.keys(answer).filter(
    (name) => name !== 'error' && answer[name] !== undefined,
  )
  if (members.some((name) => !Object.hasOwn(grammar, name))) return 'output has an unknown member'
  const given = members.filter((name) => answer[name] !== null)
  const wrong = given.find((name) => !grammar[name]?.(answer[name]))
  if (wrong === 'decision') return 'output decision must be "continue" or "reject"'
  if (wrong !== undefined) return `output ${wrong} is of the wrong type`
  // A hook with a decision may also return nothing.
  const decides = 'decision' in grammar && members.length > 0
  return decides && !given.includes('decision') ? 'output decision is missing' : null
}
