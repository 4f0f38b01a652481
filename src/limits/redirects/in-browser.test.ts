import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { describeInBrowser } from '../../../test/support/browser.ts'
import { ownForms, wideForms } from '../../../test/support/redirects/allow-list-forms.ts'
import { hostileTargets } from '../../../test/support/redirects/hostile-targets.ts'
import { redirectSettings } from '../../../test/support/redirects/redirect-settings.ts'
import { strangeTarget } from '../../../test/support/redirects/strange-target.ts'
import { silentLogger } from '../../platform/observability/logger.ts'
import { allowedRedirect } from './allowed-redirect.ts'
import { explainRedirect } from './explain-redirect.ts'

const site = 'https://app.acme.test'

const forms = [...ownForms, ...wideForms].map(({ pattern, permits }) => ({
  permits: (url: URL) => url.origin === site || permits(url),
  settings: redirectSettings({ siteUrl: site, allowList: [pattern] }),
}))

/** Returns, in the page, where a text leads by the two ways in which a page follows it. */
const resolveAll = `(targets) => targets.map((target) => {
  const link = document.createElement('a')
  link.setAttribute('href', target)
  return [new URL(target).href, link.href]
})`

describeInBrowser('T18, T19: a permitted target', ({ open }) => {
  it('leads the browser where it was permitted to lead', async () => {
    const strange = fc.sample(strangeTarget(), 20_000)
    const judged = [...hostileTargets, ...strange].flatMap((target) =>
      forms
        .filter(({ settings }) => explainRedirect(settings, target).allowed)
        .map(({ permits }) => ({ target, permits })),
    )
    expect(judged.length).toBeGreaterThan(1_000)

    const page = await open()
    const resolved = await page.evaluate<[string, string][]>(
      `(${resolveAll})(${JSON.stringify(judged.map(({ target }) => target))})`,
    )

    const astray = judged.filter(({ permits }, index) =>
      resolved[index]?.some((href) => !permits(new URL(href))),
    )
    expect(resolved).toHaveLength(judged.length)
    expect(astray.map(({ target }) => target)).toEqual([])
  })

  it('is the URL that a browser requests after a 303', async () => {
    const settings = redirectSettings({ siteUrl: site, allowList: ['https://**.acme.test/**'] })
    const targets = [...hostileTargets, ...fc.sample(strangeTarget(), 20_000)]
      .filter((target) => explainRedirect(settings, target).allowed)
      .slice(0, 20)
    const server = createServer(({ url }, response) => {
      const location = allowedRedirect(
        { config: settings, logger: silentLogger, request: { id: '', decided: () => {} } },
        { target: targets[Number(url?.slice(1))] ?? '' },
      )
      response.writeHead(303, { location }).end()
    }).listen(0, '127.0.0.1')
    await once(server, 'listening')
    const { port } = server.address() as AddressInfo
    const page = await open()
    const requested: string[] = []
    page.on('request', (request) => {
      if (request.redirectedFrom()) requested.push(new URL(request.url()).hostname)
    })

    for (const index of targets.keys()) {
      // No server listens there: the test observes the requested host only.
      await page.goto(`http://127.0.0.1:${port}/${index}`).catch(() => {})
    }
    server.close()

    expect(requested).toHaveLength(targets.length)
    expect(requested.filter((host) => !/(^|\.)acme\.test$/.test(host))).toEqual([])
  })
})
