import { setTimeout as sleep } from 'node:timers/promises'
import { runSql } from '../../test/support/sql.ts'
import { startWireProxy } from '../../test/support/wire-proxy.ts'
import { type Bench, siteOf } from '../bench.ts'
import { type Child, startChild } from '../kit/child-process.ts'
import { walBytes } from '../kit/database.ts'
import { openSite, type Run, type Site, send, vacuum, visitsOf } from '../kit/site.ts'
import { median } from '../kit/statistics.ts'
import type { Section } from '../report/section.ts'
import { digits } from '../report/table.ts'
import { latchkey } from '../targets/latchkey/target.ts'

const operation = 'otp'

/** Measures the cost of `POST /otp` for the database, until its mail is delivered. */
export async function measureCodeByMail(bench: Bench): Promise<Section> {
  const mailServer = await startChild('load/mail-server.ts')
  const site = siteOf(bench, latchkey)
  const wire = await countOnTheWire(bench, site, mailServer)
  const served = await openMailing(site, site.databaseUrl, mailServer)
  const given = { operation, connections: 4, count: bench.plan.mails } as const
  const visits = await visitsOf(served, given)
  // Otherwise the first reader of a page writes which of its rows are visible.
  await vacuum(site)
  const written = await walBytes(site.databaseUrl, async () => {
    await send(bench.generator, served, given, visits)
    await whenDelivered(site)
  })
  await served.server.stop()
  await mailServer.stop()

  const wal = written / given.count
  const what = 'code by mail, with its message'
  return {
    title: 'Code by mail',
    note: 'Per `POST /otp`, with the delivery of its message: statements, round trips, and bytes of write-ahead log. The results of several deliveries are stored together.',
    table: [
      ['statements', 'trips', 'WAL bytes'],
      [digits(wire.statements), digits(wire.trips), wal.toFixed(0)],
    ],
    bars: [
      {
        what: `${what}: statements`,
        measured: wire.statements,
        unit: '',
        limit: { atMost: 3 },
      },
      { what: `${what}: WAL`, measured: wal, unit: 'bytes', limit: { atMost: 1800 } },
    ],
  }
}

/**
 * Counts through a proxy, one request after the other, each with the delivery of its message. The
 * medians, since a timer of the server queries for messages of other processes meanwhile.
 */
async function countOnTheWire({ generator, plan }: Bench, site: Site, mailServer: Child) {
  const proxy = await startWireProxy(site.databaseUrl)
  const proxied = await openMailing(site, proxy.url, mailServer)
  const request = async (given: Run) => {
    const visits = await visitsOf(proxied, given)
    await send(generator, proxied, given, visits)
    await whenDelivered(site)
  }
  const once: Run = { operation, connections: 1, count: 1 }
  // The first request opens the connection, and is not counted.
  await request(once)
  const counts = []
  for (let turn = 0; turn < plan.wire; turn += 1) {
    proxy.reset()
    await request(once)
    counts.push(proxy.counts())
  }
  await proxied.server.stop()
  await proxy.close()
  return {
    statements: median(counts.map(({ statements }) => statements)),
    trips: median(counts.map(({ trips }) => trips)),
  }
}

async function openMailing(site: Site, databaseUrl: string, mailServer: Child): Promise<Site> {
  const port = String(await mailServer.ask<number>('port'))
  return openSite({ ...latchkey, server: [latchkey.server[0], port] }, databaseUrl, site.people)
}

/** Waits until no message is left to deliver. */
async function whenDelivered({ databaseUrl }: Site): Promise<void> {
  const text = 'select count(*)::int as waiting from auth.outbox_messages where settled_at is null'
  while (Number((await runSql(databaseUrl, text))[0]?.['waiting']) > 0) await sleep(50)
}
