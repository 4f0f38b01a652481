import { open } from 'node:fs/promises'
import { resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Config } from '../../platform/config/config.ts'
import { isTemplateFile } from '../../platform/config/parsers/mails.ts'
import { parseTemplate } from '../../platform/go-template/parse-template.ts'
import type { Template } from '../../platform/go-template/syntax.ts'
import { TemplateError } from '../../platform/go-template/template-error.ts'
import { type Clock, isOlder } from '../../platform/kit/clock.ts'
import { safeFetch } from '../../platform/kit/safe-fetch.ts'
import { withoutTrailingSlashes } from '../../platform/kit/trailing-slashes.ts'
import { type MailKind, mails } from '../../platform/mails/mails.ts'
import { describeFault } from '../../platform/observability/describe-fault.ts'
import type { Logger } from '../../platform/observability/logger.ts'

export interface TemplateNeeds {
  config: Pick<Config, 'siteUrl' | 'development'> & {
    email: Pick<Config['email'], 'templateFetch'>
  }
  clock: Clock
  logger: Logger
}

/** The operator's own bodies of mails, fetched and cached. */
export interface BodyTemplates {
  /**
   * Returns the template of this URL, path or file. Null: the built-in one is used, because this
   * one is unavailable.
   */
  find(kind: MailKind, source: string): Promise<Template | null>
  /** Waits for running fetches. */
  close(): Promise<void>
}

/** A cached template. Null if no fetch has succeeded. */
interface Entry {
  /** The kind of mail, for the log. */
  kind: MailKind
  source: string
  template: Template | null
  fetchedAt: Date | null
  failedAt: Date | null
  /** At most one fetch at a time. */
  refreshing: Promise<void> | null
}

const newEntry = (kind: MailKind, source: string): Entry => ({
  kind,
  source,
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
  const entries = new Map<string, Entry>()
  const reloading = createReloading(needs, () => refreshAll(reloadShare))

  const isOver = (since: Date | null, seconds: number): boolean =>
    isOlder(since, seconds * 1000, clock.now())
  const isDue = ({ source, fetchedAt, failedAt }: Entry, share: number): boolean =>
    // In development, the next mail shows the file as it is now.
    (needs.config.development && isTemplateFile(source)) ||
    (isOver(fetchedAt, templateFetch.maxAgeSeconds * share) &&
      isOver(failedAt, templateFetch.retryIntervalSeconds))

  const refreshIfDue = async (entry: Entry, share = 1): Promise<void> => {
    if (!entry.refreshing && !isDue(entry, share)) return
    entry.refreshing ??= refresh(needs, entry).finally(() => {
      entry.refreshing = null
    })
    await entry.refreshing
  }
  const refreshAll = (share: number): void => {
    for (const entry of entries.values()) void refreshIfDue(entry, share)
  }

  return {
    find: async (kind, source) => {
      reloading.wake()
      const key = `${kind} ${source}`
      const entry = entries.get(key) ?? newEntry(kind, source)
      entries.set(key, entry)
      await refreshIfDue(entry)
      return entry.template
    },
    close: async () => {
      reloading.stop()
      await Promise.all([...entries.values()].map(({ refreshing }) => refreshing))
    },
  }
}

/** Fetches a body. After a failure, the former one stays in use. */
async function refresh(needs: TemplateNeeds, entry: Entry): Promise<void> {
  const { config, clock, logger } = needs
  try {
    entry.template = parseTemplate(await read(config, entry.source))
    entry.fetchedAt = clock.now()
    entry.failedAt = null
  } catch (error) {
    entry.failedAt = clock.now()
    const problem = error instanceof TemplateError ? 'parse' : 'http'
    const fields = {
      event: `templatemailer_template_body_${problem}_error`,
      mail_type: mails[entry.kind].messageType,
      error: describeFault(error),
    }
    logger.error(fields, 'mail template is unusable')
  }
}

function read({ siteUrl, email }: TemplateNeeds['config'], source: string): Promise<string> {
  const { maxSizeBytes } = email.templateFetch
  if (isTemplateFile(source)) return readTemplateFile(source, maxSizeBytes)
  const url = source.startsWith('http') ? source : withoutTrailingSlashes(siteUrl) + source
  return download(url, maxSizeBytes)
}

async function readTemplateFile(source: string, maxBytes: number): Promise<string> {
  const path = source.startsWith('file:') ? fileURLToPath(source) : resolve(source)
  await using file = await open(path)
  if ((await file.stat()).size > maxBytes) throw new Error(`the file exceeds ${maxBytes} bytes`)
  return await file.readFile('utf8')
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
function createReloading({ config, clock }: ReloadingNeeds, reload: () => void): Reloading {
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
