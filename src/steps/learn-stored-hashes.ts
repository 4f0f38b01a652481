import type { Deps } from '../deps.ts'
import { describeFault } from '../observability/describe-fault.ts'
import { findHashSamples } from '../users/find-hash-samples.sql.ts'

/** Another instance, or an import from the command line, may have stored hashes of another kind. */
const everyMs = 60 * 60 * 1000

const maxKinds = 32

/**
 * Learns, at the start and once an hour, of what kinds the stored hashes are, so that how long a wrong
 * password takes to refuse does not tell whose address it was tried for.
 *
 * @returns what ends it.
 */
export function learnStoredHashes({ passwords, database, logger }: Deps): () => void {
  let isStopped = false
  const find = () => findHashSamples(database.sql, { except: passwords.prefix, limit: maxKinds })
  const learn = () =>
    void passwords.learn(find).catch((error) => {
      if (isStopped) return
      const fault = describeFault(error)
      logger.warn({ fault }, 'of what kinds the stored password hashes are was not found out')
    })
  learn()
  const timer = setInterval(learn, everyMs).unref()
  return () => {
    isStopped = true
    clearInterval(timer)
  }
}
