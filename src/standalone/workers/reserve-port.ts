import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import type { ResolvedServer } from '../../platform/config/sections/server.ts'
import { listenError } from '../listen.ts'

/**
 * Checks that the port is available, and returns its number: with port 0, Node would choose another
 * one after all workers have ended.
 *
 * @throws ListenError
 */
export async function reservePort({ host, port }: ResolvedServer): Promise<number> {
  const server = createServer()
  try {
    server.listen({ port, ...(host && { host }) })
    await once(server, 'listening')
  } catch (error) {
    throw listenError(error, { host, port })
  }
  const { port: found } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return found
}
