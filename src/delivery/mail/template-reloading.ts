import type { Config } from '../../platform/config/config.ts'
import type { Clock } from '../../platform/kit/clock.ts'

interface ReloadingNeeds {
  config: { email: Pick<Config['email'], 'templateFetch'> }
  clock: Clock
}

export interface Reloading {
  /** A mail was asked for. */
  wake(): void
  stop(): void
}

/** Does something every now and then, for as long as mails are asked for. */
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
