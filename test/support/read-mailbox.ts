import { setTimeout as sleep } from 'node:timers/promises'

/** The development mailbox of a running service, as a browser with its token reads it. */
export interface ReadMailbox {
  /** The URL without the token. */
  url: string
  headers: { cookie: string }
  /** Waits for a message to an address, and returns the newest. */
  newest(to: string): Promise<MailboxEntry>
}

export interface MailboxEntry {
  code: string
  link: string
}

const patienceMs = 10_000

/** @param entry the printed URL, with the token. */
export async function readMailbox(entry: string): Promise<ReadMailbox> {
  const entered = await fetch(entry, { redirect: 'manual' })
  const [cookie = ''] = entered.headers.get('set-cookie')?.split(';') ?? []
  const url = new URL(entered.headers.get('location') ?? '', entry).href
  const headers = { cookie }
  const find = async (to: string): Promise<MailboxEntry | null> => {
    const page = await (await fetch(url, { headers })).text()
    const [item] = page.split('<li ').filter((part) => part.includes(`<span class="who">${to}<`))
    return item === undefined ? null : entryOf(item)
  }
  return {
    url,
    headers,
    newest: async (to) => {
      const deadline = Date.now() + patienceMs
      for (;;) {
        const found = await find(to)
        if (found) return found
        if (Date.now() > deadline) throw new Error(`no message to ${to}`)
        await sleep(50)
      }
    },
  }
}

function entryOf(item: string): MailboxEntry {
  const [, code = ''] = /data-copy="(\d+)"/.exec(item) ?? []
  const [, link = ''] = /data-copy="(http[^"]+)"/.exec(item) ?? []
  return { code, link: link.replaceAll('&amp;', '&') }
}
