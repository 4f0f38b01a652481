import fc from 'fast-check'
import { afterAll, beforeAll, expect, it } from 'vitest'
import {
  type AddressEndpoint,
  type AddressKind,
  type AddressWorld,
  addressEndpoints,
  enterCode,
  newAddressOf,
  newRequester,
  openMail,
  type PersonName,
  startAddressWorld,
  type TestRequester,
} from '../support/address-requests.ts'
import type { DeliveredMessage } from '../support/messages.ts'

// Generated sequences of requests for one address, by its owner and an attacker, through every
// endpoint. The owner opens one of the messages. If the owner requested the address at all,
// everything that is valid then belongs to the owner.

/** CI runs more (scripts/test-model.mjs). With `MODEL_MINUTES` sequences run for that time. */
const runsAtLeast = Number(process.env.MODEL_RUNS ?? 15)
const minutes = Number(process.env.MODEL_MINUTES ?? 0)

let world: AddressWorld
beforeAll(async () => {
  world = await startAddressWorld()
})
afterAll(() => world.close())

interface Step {
  by: PersonName
  endpoint: AddressEndpoint
}

interface Plan {
  kind: AddressKind
  steps: Step[]
  /** The message that the owner opens, counted from the newest. */
  opened: number
}

const plans: fc.Arbitrary<Plan> = fc
  .constantFrom('email' as const, 'phone' as const)
  .chain((kind) =>
    fc.record({
      kind: fc.constant(kind),
      steps: fc.array(
        fc.record({
          by: fc.constantFrom('Ada' as const, 'Eve' as const),
          endpoint: fc.constantFrom(
            ...addressEndpoints.filter(({ kinds }) => kinds.includes(kind)),
          ),
        }),
        { minLength: 2, maxLength: 5 },
      ),
      opened: fc.nat({ max: 4 }),
    }),
  )

const describePlan = ({ steps, opened }: Plan): string =>
  `[${steps.map(({ by, endpoint }) => `${by}: ${endpoint.name}`).join(', ')}; message ${opened}]`

/** Returns the user whose session a message opens; undefined if the message is invalid. */
async function proved(ada: TestRequester, message: DeliveredMessage): Promise<string | undefined> {
  if (message.type === 'sms') return (await enterCode(world, ada, message))?.body.user.id
  const token = (await openMail(world, ada, message)).get('access_token')
  return token ? (await world.auth.get('/user', { token })).body.id : undefined
}

async function play(plan: Plan): Promise<string[]> {
  const { kind, steps } = plan
  const people = { Ada: newRequester('Ada'), Eve: newRequester('Eve') }
  const value = newAddressOf(kind)
  /**
   * Accounts of the attacker with another confirmed address, on which a change of address is based
   * (design rule 2).
   */
  const exempt = new Set<string>()
  let isRequestedByOwner = false
  for (const { by, endpoint } of steps) {
    // A code is compared with the newest tokens of other clients: equal times have no order.
    world.auth.clock.advance(1)
    const before = (await world.auth.messagesTo(value)).length
    await endpoint.request(world, people[by], { kind, value })
    const isSent = (await world.auth.messagesTo(value)).length > before
    if (by === 'Ada') isRequestedByOwner ||= isSent
    else if (endpoint.restsOnAddress) exempt.add(people.Eve.sessions.at(-1)?.user?.id)
  }
  const messages = (await world.auth.messagesTo(value)).toReversed()
  const index = Math.min(plan.opened, messages.length - 1)
  const message = messages[index]
  if (!message) return []
  const userId = await proved(people.Ada, message)
  if (userId === undefined) return index === 0 ? ['the newest message is void'] : []
  return !isRequestedByOwner || exempt.has(userId) ? [] : left(kind, value, people.Eve)
}

/** Returns the access that an attacker has to the account with the address. */
async function left(kind: AddressKind, value: string, eve: TestRequester): Promise<string[]> {
  const wrong: string[] = []
  const credentials = { [kind]: value, password: eve.password }
  const { status } = await world.auth.post('/token?grant_type=password', credentials)
  if (status === 200) wrong.push('the password of the attacker is in force')
  const [user] = await world.auth.rows<{ user_metadata: Record<string, unknown> }>(
    `select user_metadata from auth.users where ${kind} = $1`,
    [value],
  )
  if (!user) wrong.push('no user has the address')
  if (user?.user_metadata['name'] === 'Eve') wrong.push('the metadata is of the attacker')
  for (const session of eve.sessions) {
    const { body } = await world.auth.get('/user', { token: session.access_token })
    if (body[kind] === value) wrong.push('a session of the attacker is live')
  }
  return wrong
}

it(
  `leaves an attacker no access in ${minutes > 0 ? `${minutes} minutes` : `${runsAtLeast} sequences`}`,
  async () => {
    const seed = Number(process.env.MODEL_SEED ?? Date.now() % 2 ** 31)
    console.log(`address requests: MODEL_SEED=${seed} replays this run`)
    const endsAt = Date.now() + minutes * 60_000
    const sequence = fc.asyncProperty(plans, async (plan) => {
      expect((await play(plan)).map((one) => `${describePlan(plan)} ${one}`)).toEqual([])
    })
    let runs = 0
    for (let round = 0; runs < runsAtLeast || Date.now() < endsAt; round += 1) {
      await fc.assert(sequence, { seed: seed + round, numRuns: 5 })
      runs += 5
    }
    if (minutes > 0) console.log(`address requests: ${runs} sequences`)
  },
  Math.max(900_000, (minutes + 5) * 60_000),
)
