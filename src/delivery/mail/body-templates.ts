import type { Config } from '../../platform/config/config.ts'
import { parseTemplate } from '../../platform/go-template/parse-template.ts'
import type { Template } from '../../platform/go-template/syntax.ts'
import { TemplateError } from '../../platform/go-template/template-error.ts'
import type { Clock } from '../../platform/kit/clock.ts'
import { safeFetch } from '../../platform/kit/safe-fetch.ts'
import { type MailKind, mails } from '../../platform/mails/mails.ts'
import { describeFault } from '../../platform/observability/describe-fault.ts'
import type { Logger } from '../../platform/observability/logger.ts'

export interface TemplateNeeds {
  config: { siteUrl: string; email: Pick<Config['email'], 'templates' | 'templateFetch'> }
  clock: Clock
  logger: Logger
}

/** The operator's own bodies of mails, fetched and cached. */
export interface BodyTemplates {
  /** Null: the built-in one is used, because no other is configured or available. */
  find(kind: MailKind): Promise<Template | null>
  /** Waits for running fetches. */
  close(): Promise<void>
}

/** The cached template of one kind. Null if no fetch has succeeded. */
interface Entry {
  template: Template | null
  fetchedAt: Date | null
  failedAt: Date | null
  /** At most one fetch at a time. */
  refreshing: Promise<void> | null
}

const newEntry = (): Entry => ({
  template: null,
  fetchedAt: null,
  failedAt: null,
  refreshing: null,
})

/**
 * With reloading, the part of a template's maximum age after which it is fetched again, before a
 * mail has to wait.
 */
const reloadShare = 0.9

export function createBodyTemplates(needs: TemplateNeeds): BodyTemplates {
  const { clock } = needs
  const { templateFetch } = needs.config.email
  const entries = new Map<MailKind, Entry>()
  const reloading = createReloading(needs, () => refreshAll(reloadShare))

  const isOver = (since: Date | null, seconds: number): boolean =>
    since === null || clock.now().getTime() - since.getTime() >= seconds * 1000
  const isDue = ({ fetchedAt, failedAt }: Entry, share: number): boolean =>
    isOver(fetchedAt, templateFetch.maxAgeSeconds * share) &&
    isOver(failedAt, templateFetch.retryIntervalSeconds)

  const refreshIfDue = async (kind: MailKind, entry: Entry, share = 1): Promise<void> => {
    if (!entry.refreshing && !isDue(entry, share)) return
    entry.refreshing ??= refresh(needs, kind, entry).finally(() => {
      entry.refreshing = null
    })
    await entry.refreshing
  }
  const refreshAll = (share: number): void => {
    for (const [kind, entry] of entries) void refreshIfDue(kind, entry, share)
  }

  return {
    find: async (kind) => {
      if (needs.config.email.templates[kind] === null) return null
      reloading.wake()
      const entry = entries.get(kind) ?? newEntry()
      entries.set(kind, entry)
      await refreshIfDue(kind, entry)
      return entry.template
    },
    close: async () => {
      reloading.stop()
      await Promise.all([...entries.values()].map(({ refreshing }) => refreshing))
    },
  }
}

/** Fetches a body. After a failure, the former one stays in use. */
async function refresh(needs: TemplateNeeds, kind: MailKind, entry: Entry): Promise<void> {
  const { config, clock, logger } = needs
  try {
    const source = await download(
      templateUrl(config, kind),
      config.email.templateFetch.maxSizeBytes,
    )
    entry.template = parseTemplate(source)
    entry.fetchedAt = clock.now()
    entry.failedAt = null
  } catch (error) {
    entry.failedAt = clock.now()
    const problem = error instanceof TemplateError ? 'parse' : 'http'
    const fields = {
      event: `templatemailer_template_body_${problem}_error`,
      mail_type: mails[kind].messageType,
      error: describeFault(error),
    }
    logger.error(fields, 'mail template is unusable')
  }
}

function templateUrl({ siteUrl, email }: TemplateNeeds['config'], kind: MailKind): string {
  const template = email.templates[kind] ?? ''
  return template.startsWith('http') ? template : siteUrl.replace(/\/+$/, '') + template
}

async function download(url: string, maxBytes: number): Promise<string> {
  const { status, text } = await safeFetch(url, { trust: 'operator', maxBytes })
  if (status !== 200) throw new Error(`the template's server returned ${status}`)
  return text
}

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
