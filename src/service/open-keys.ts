import type { KeyRing } from '../credentials/access-tokens/key-ring.ts'
import type { ManagedKeyRing } from '../credentials/access-tokens/managed-keys.ts'
import { keyEncryption, openKeyRing } from '../credentials/access-tokens/open-key-ring.ts'
import type { Config } from '../platform/config/config.ts'
import type { Clock } from '../platform/kit/clock.ts'
import type { Random } from '../platform/kit/random.ts'
import type { Logger } from '../platform/observability/logger.ts'
import { notifyInstances } from '../platform/sql/announce-change.ts'
import { type ChangeListener, listenForChanges } from './persistence/listen-for-changes.ts'
import type { OpenDatabase } from './persistence/open-database.ts'
import type { WorkerGroup } from './worker-group.ts'

interface Needs {
  database: OpenDatabase
  clock: Clock
  random: Random
  logger: Logger
  group: WorkerGroup | undefined
  /** Whether this process polls for changed keys. */
  isPolling: () => boolean
}

export interface OpenKeys extends Pick<ManagedKeyRing, 'renewIfOld'> {
  keys: KeyRing
  close(): Promise<void>
}

/** Opens the signing keys, and reloads those that another process generated or retired. */
export async function openKeys(
  config: Config,
  { database, clock, random, logger, group, isPolling }: Needs,
): Promise<OpenKeys> {
  const isFrozen = config.background.frozenBetweenRequests
  let listener: ChangeListener | null = null
  const { keys, reload, renewIfOld, stop } = await openKeyRing(config.jwt, {
    ...database,
    clock,
    random,
    logger,
    encryption: keyEncryption(config.encryptionKeys),
    isFrozen,
    announcements: () => {
      if (config.database.url === null) return 'none'
      return listener?.isNotified() ? 'notified' : 'silently'
    },
    isPolling,
    changed: () => group?.announceKeys(),
  })
  if (reload) group?.onKeys(reload)
  // A frozen process receives no notifications.
  if (reload && !isFrozen) listener = listenForKeys(config, database, reload)
  const close = async () => {
    stop()
    await listener?.close()
  }
  return { keys, renewIfOld, close }
}

/**
 * Receives notifications of keys that another instance generated or retired. The embedded database
 * has no other instances.
 */
function listenForKeys({ database }: Config, { names, sql }: OpenDatabase, reload: () => void) {
  const url = database.listenUrl ?? database.url
  if (url === null) return null
  return listenForChanges({
    url,
    table: names.table('signing_keys'),
    changed: reload,
    notify: (payload) => notifyInstances(sql, payload),
  })
}
