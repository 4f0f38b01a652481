import { fairnessPath } from '../kit/client-networks.ts'

/** The bodies that are being received, whose requests wait for their clients. */
export interface ReceivingBodies {
  /**
   * Adds a body.
   *
   * @param client the key of the client that sends it; null where clients cannot be distinguished.
   * @param reject ends its request.
   * @returns a function that removes it.
   */
  add(client: string | null, reject: () => void): () => void
  /**
   * Rejects the request whose body has been received for the longest time.
   *
   * @param network its widest network; null for any.
   * @returns whether there was one.
   */
  rejectOldest(network: string | null): boolean
}

interface Receiving {
  network: string
  reject: () => void
}

export function createReceivingBodies(): ReceivingBodies {
  const oldestFirst: Receiving[] = []
  const remove = (at: number): Receiving | undefined => oldestFirst.splice(at, 1)[0]
  return {
    add: (client, reject) => {
      const [network = ''] = client === null ? [] : fairnessPath(client)
      const body = { network, reject }
      oldestFirst.push(body)
      return () => {
        const at = oldestFirst.indexOf(body)
        if (at >= 0) remove(at)
      }
    },
    rejectOldest: (network) => {
      const at = oldestFirst.findIndex((body) => network === null || body.network === network)
      if (at < 0) return false
      remove(at)?.reject()
      return true
    },
  }
}
