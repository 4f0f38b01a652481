import { RedisPackageMissingError } from '../platform/errors/start-errors.ts'
import { linkOfClient, type RedisLink } from './redis-buckets.ts'

const connectTimeoutMs = 2_000

/**
 * Opens one connection to Redis. It is not opened again once it is lost: a new one is independent of
 * the time-outs of its connection.
 *
 * @param lost called once if the connection ends before it is closed.
 * @throws RedisPackageMissingError when the optional package is not installed.
 */
export async function connectRedis(
  url: string,
  lost: (error: unknown) => void,
): Promise<RedisLink> {
  const { createClient } = await importRedis()
  const client = createClient({
    url,
    disableOfflineQueue: true,
    socket: { reconnectStrategy: false, connectTimeout: connectTimeoutMs },
  })
  let isClosed = false
  const close = () => {
    isClosed = true
    // It throws where the connection has ended.
    if (client.isOpen) client.destroy()
  }
  client.on('error', (error) => {
    if (isClosed) return
    isClosed = true
    lost(error)
  })
  try {
    await client.connect()
  } catch (error) {
    close()
    throw error
  }
  return { ...linkOfClient(client), close }
}

/** @throws RedisPackageMissingError when the optional package is not installed. */
export async function importRedis() {
  try {
    return await import('redis')
  } catch (error) {
    throw new RedisPackageMissingError(
      'rateLimits.redisUrl needs the package redis, version 5 or later: npm install redis',
      { cause: error },
    )
  }
}
