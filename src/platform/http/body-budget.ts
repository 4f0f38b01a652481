import { serviceUnavailable } from '../errors/request-errors.ts'
import { networksOf } from '../kit/client-networks.ts'
import { createLoopTurns, type LoopTurns } from '../kit/loop-turns.ts'
import { maxBodyBytes, maxPlainBodyBytes } from './body-limit.ts'

/** The bytes that one body takes of the budget. */
export interface BodyShare {
  /**
   * Raises the share to so many bytes.
   *
   * @throws AuthError `service_unavailable` (503, with `Retry-After`) where they are not free.
   */
  reserve(bytes: number): void
  /** Returns the bytes to the budget. Repeated calls have no effect. */
  release(): void
}

/** The memory that all bodies in flight share. */
export interface BodyBudget {
  /** @param client the key of the client that sends the body; null where clients cannot be distinguished. */
  open(client: string | null): BodyShare
  /** Waits for a turn of the event loop in which a body of so many bytes may be parsed. */
  turn: LoopTurns
}

/** A share before it is raised. */
interface Taking {
  reserved: number
  isLarge: boolean
}

/** How much is parsed in one turn of the event loop: one large body, or as many small ones as below. */
const maxParsedBytes = 131_072
const maxParsedBodies = 16

/** How much of the budget one client takes at most, and one of the wider networks that it belongs to. */
const partOfClient = 1 / 4
const partOfNetwork = 3 / 8
/** How much is left to networks of which no other body is in flight. */
const reservedPart = 1 / 5

/**
 * Creates the budget of a service.
 *
 * Half of it is kept for small bodies. One client takes a quarter of it at most, a /56, /48 or /24 three eighths, and
 * the last fifth is left to networks that have taken nothing, so that large bodies that are sent slowly keep no
 * other client out. One body of the largest size always fits into each part.
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
    turn: (bytes) => turns(Math.max(bytes, maxParsedBytes / maxParsedBodies)),
  }
}

/** Too many bodies are in flight. */
const bodyBudgetSpent = () => serviceUnavailable('Too many request bodies at once')
