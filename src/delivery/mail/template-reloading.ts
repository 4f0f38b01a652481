import type { Config } from '../../platform/config/config.ts'
import type { Clock } from '../../platform/kit/clock.ts'

interface ReloadingNeeds {
  config: { email: Pick<Config['email'], 'templateFetch'> }
  clock: Clock
}

export interface Reloading {
  /** Reports that a mail was requested. */
  wake(): void
  stop(): void
}

/** Reloads templates periodically, while mails are requested. */
export function createReloading({ config, clock }: ReloadingNeeds, reload: () => void): Reloading {
  const { reloadingEnabled, retryIntervalSeconds, reloadingMaxIdleSeconds } =
    config.email.templateFetch
  const everyMs = Math.max(1000, (retryIntervalSeconds * 1000) / 4)
  let wokenAt = clock.now()
  let timer: NodeJS.Timeout | undefined
  const stop = (): void => {
    clearInterval(timer)
    timer = undefined
  }
  const tick = (): void => {
    const idleMs = clock.now().getTime() - wokenAt.getTime()
    if (idleMs > reloadingMaxIdleSeconds * 1000) stop()
    else reload()
  }
  return {
    wake: () => {
      wokenAt = clock.now()
      if (reloadingEnabled) timer ??= setInterval(tick, everyMs).unref()
    },
    stop,
  }
}
