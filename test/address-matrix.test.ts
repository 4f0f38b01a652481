import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  type AddressEndpoint,
  type AddressKind,
  type AddressWorld,
  addressEndpoints,
  enterCode,
  newAddressOf,
  newRequester,
  openMail,
  type RequestedFor,
  startAddressWorld,
  type TestRequester,
} from './support/address-requests.ts'
import type { DeliveredMessage } from './support/messages.ts'

// Every endpoint that requests an address, in every state of that address: whether a message is
// sent, and which access an attacker keeps once the owner opens it.

let world: AddressWorld
beforeAll(async () => {
  world = await startAddressWorld()
})
afterAll(() => world.close())

/** The kinds of request whose responses depend on the state. */
type Column = 'sign-up' | 'code' | 'recover' | 'resend' | 'change' | 'external'

const columnOf = ({ name }: AddressEndpoint): Column => {
  if (name === 'POST /signup') return 'sign-up'
  if (name === 'POST /recover') return 'recover'
  if (name === 'POST /resend') return 'resend'
  if (name.startsWith('POST')) return 'code'
  return name.startsWith('PUT') || name.startsWith('linking') ? 'change' : 'external'
}

interface State {
  name: string
  /** Default: both. */
  kinds?: readonly AddressKind[]
  /** The requests that send nothing in this state. */
  silent: readonly Column[]
  /** True where the confirmation of the address opens no session. */
  isClosed?: true
  arrange(address: RequestedFor, eve: TestRequester): Promise<unknown>
}

const byEndpoint = (wanted: string): State['arrange'] => {
  const endpoint = addressEndpoints.find(({ name }) => name === wanted)
  if (!endpoint) throw new Error(`no endpoint ${wanted}`)
  return (address, eve) => endpoint.request(world, eve, address)
}

const admin = () => world.auth.auth.admin
const other = { email: 'phone', phone: 'email' } as const

const imported = async ({ kind, value }: RequestedFor, isConfirmed: boolean): Promise<void> => {
  const user = { [kind]: value, ...(isConfirmed && { [`${kind}Confirm`]: true }) }
  const refused: unknown[] = []
  await admin().importUsers([user], { onRefused: (record) => void refused.push(record) })
  expect(refused).toEqual([])
}

const confirmed = ({ kind, value }: RequestedFor) =>
  admin().createUser({ [kind]: value, emailConfirm: true, phoneConfirm: true })

const states: State[] = [
  { name: 'free', silent: ['recover', 'resend'], arrange: async () => {} },
  { name: 'registered', silent: [], arrange: byEndpoint('POST /signup') },
  { name: 'requested by a code', silent: [], arrange: byEndpoint('POST /otp') },
  {
    name: 'of an unverified external sign-in',
    kinds: ['email'],
    silent: [],
    arrange: byEndpoint('external sign-in'),
  },
  {
    name: 'pending for an anonymous user',
    silent: ['recover', 'resend'],
    arrange: byEndpoint('PUT /user, anonymous'),
  },
  {
    name: 'pending beside a proved phone',
    silent: ['recover', 'resend'],
    arrange: byEndpoint('PUT /user, beside a phone'),
  },
  {
    name: 'of a user whom an operator made',
    silent: ['change'],
    arrange: ({ kind, value }) => admin().createUser({ [kind]: value }),
  },
  {
    name: 'stored by an operator beside a proved address',
    silent: ['sign-up', 'code', 'recover', 'resend'],
    arrange: ({ kind, value }) =>
      admin().createUser({
        [kind]: value,
        [other[kind]]: newAddressOf(other[kind]),
        [`${other[kind]}Confirm`]: true,
      }),
  },
  {
    name: 'confirmed by another user',
    silent: ['sign-up', 'resend', 'change'],
    arrange: confirmed,
  },
  {
    name: 'of an imported user who has not confirmed it',
    silent: ['change'],
    arrange: (address) => imported(address, false),
  },
  {
    name: 'of an imported user who has confirmed it',
    silent: ['sign-up', 'resend', 'change'],
    arrange: (address) => imported(address, true),
  },
  {
    name: 'of a banned user',
    silent: ['sign-up', 'resend', 'change'],
    isClosed: true,
    arrange: async (address) => {
      const { id } = await confirmed(address)
      await admin().banUser(id)
    },
  },
  {
    name: 'of a user who was deleted and is kept',
    silent: ['recover', 'resend'],
    arrange: async (address) => {
      const { id } = await confirmed(address)
      await admin().deleteUser(id, { soft: true })
    },
  },
]

/** The session that a message opens for its recipient. */
async function sessionOf(person: TestRequester, message: DeliveredMessage): Promise<string> {
  if (message.type !== 'sms') {
    return (await openMail(world, person, message)).get('access_token') ?? ''
  }
  return (await enterCode(world, person, message))?.body.access_token ?? ''
}

describe.each(['email', 'phone'] as const)('%s', (kind) => {
  const endpoints = addressEndpoints.filter(({ kinds }) => kinds.includes(kind))
  const reachable = states.filter(({ kinds }) => !kinds || kinds.includes(kind))

  describe.each(reachable)('that is $name', ({ silent, isClosed, arrange }) => {
    it.each(endpoints)('requested by $name', async (endpoint) => {
      const [ada, eve] = [newRequester('Ada'), newRequester('Eve')]
      const value = newAddressOf(kind)
      await arrange({ kind, value }, eve)
      const before = (await world.auth.messagesTo(value)).length

      await endpoint.request(world, ada, { kind, value })

      const messages = await world.auth.messagesTo(value)
      const isSilent = silent.includes(columnOf(endpoint))
      expect(messages).toHaveLength(before + (isSilent ? 0 : 1))
      const newest = messages.at(-1)
      if (isSilent || !newest) return
      const token = await sessionOf(ada, newest)
      const { body: user } = await world.auth.get('/user', { token })
      const byPassword = await world.auth.post('/token?grant_type=password', {
        [kind]: value,
        password: eve.password,
      })
      expect([user[kind], user.user_metadata?.name === 'Eve', byPassword.status]).toEqual([
        isClosed ? undefined : value,
        false,
        400,
      ])
    })
  })
})
