import { serviceUnavailable } from '../errors/request-errors.ts'
import { networksOf } from '../kit/client-networks.ts'
import { createLoopTurns, type LoopTurns } from '../kit/loop-turns.ts'
import { maxBodyBytes, maxPlainBodyBytes } from './body-limit.ts'
import { createReceivingBodies, type ReceivingBodies } from './receiving-bodies.ts'

/** The bytes of one body in the budget. */
export interface BodyShare {
  /**
   * Raises the share to this number of bytes.
   *
   * @throws AuthError `service_unavailable` (503, with `Retry-After`) if they are not free.
   */
  reserve(bytes: number): void
  /** Returns the bytes to the budget. Repeated calls have no effect. */
  release(): void
}

/** The memory that all bodies in flight share. */
export interface BodyBudget {
  /**
   * @param client the key of the client that sends the body; null where clients cannot be
   *   distinguished.
   */
  open(client: string | null): BodyShare
  /** Waits until a body of this size may be parsed in the event loop. */
  turn: LoopTurns
  receiving: ReceivingBodies
}

/** A share before it is raised. */
interface Taking {
  reserved: number
  isLarge: boolean
}

/**
 * The most that is parsed in one iteration of the event loop: one large body, or this number of
 * small ones.
 */
const maxParsedBytes = 131_072
const maxParsedBodies = 16

/** The maximum parts of the budget for one client, and for one of its wider networks. */
const partOfClient = 1 / 4
const partOfNetwork = 3 / 8
/** The part reserved for networks without another body in flight. */
const reservedPart = 1 / 5

/**
 * Creates the budget of a service.
 *
 * Half of it is reserved for small bodies. One client gets at most a quarter, a /56, /48 or /24
 * three eighths, and the last fifth is reserved for networks without a share, so that large bodies
 * that are sent slowly exclude no other client. One body of the largest size always fits into each
 * part.
 *
 * @param maxBytes `api.maxBodyBytesInFlight`
 */
export function createBodyBudget(maxBytes: number): BodyBudget {
  const part = (share: number): number => Math.max(maxBytes * share, maxBodyBytes)
  const turns = createLoopTurns(maxParsedBytes)
  const ofNetworks = new Map<string, number>()
  let taken = 0

  const requireFree = (networks: readonly string[], more: number, share: Taking): void => {
    const others = (ofNetworks.get(networks.at(-1) ?? '') ?? 0) - share.reserved
    const whole = share.isLarge ? 1 / 2 : 1
    if (taken + more > part(others > 0 ? whole * (1 - reservedPart) : whole))
      throw bodyBudgetSpent()
    for (const [level, network] of networks.entries()) {
      const ofNetwork = (ofNetworks.get(network) ?? 0) + more
      if (ofNetwork > part(level === 0 ? partOfClient : partOfNetwork)) throw bodyBudgetSpent()
    }
  }
  const add = (networks: readonly string[], bytes: number): void => {
    taken += bytes
    for (const network of networks) {
      const ofNetwork = (ofNetworks.get(network) ?? 0) + bytes
      if (ofNetwork > 0) ofNetworks.set(network, ofNetwork)
      else ofNetworks.delete(network)
    }
  }
  return {
    open: (client) => {
      const networks = client === null ? [] : networksOf(client).map(({ key }) => key)
      let reserved = 0
      return {
        reserve: (bytes) => {
          const more = bytes - reserved
          if (more <= 0) return
          requireFree(networks, more, { reserved, isLarge: bytes > maxPlainBodyBytes })
          add(networks, more)
          reserved = bytes
        },
        release: () => {
          add(networks, -reserved)
          reserved = 0
        },
      }
    },
    receiving: createReceivingBodies(),
    turn: (bytes) => turns(Math.max(bytes, maxParsedBytes / maxParsedBodies)),
  }
}

/** Rejects a body because too many are in flight. */
const bodyBudgetSpent = () => serviceUnavailable('Too many request bodies at once')
