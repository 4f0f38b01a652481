import { describe, expect, it } from 'vitest'
import { redirectSettings } from '../../../test/support/redirects/redirect-settings.ts'
import type { RedirectDenial } from '../../platform/config/sections/site.ts'
import { silentLogger } from '../../platform/observability/logger.ts'
import { allowedRedirect, type RequestedRedirect } from './allowed-redirect.ts'

const siteUrl = 'https://app.acme.test'

function ask(
  wish: RequestedRedirect,
  onDenied: RedirectDenial = 'fallback',
  site = siteUrl,
  development = false,
) {
  const warnings: unknown[] = []
  const warn = (fields: object, message: string) => void warnings.push([fields, message])
  const settings = redirectSettings({
    siteUrl: site,
    allowList: ['https://docs.acme.test/**'],
    onDenied,
  })
  const config = { ...settings, development }
  const request = { id: 'request-1', decided: () => {} }
  const needs = { config, logger: { ...silentLogger, warn }, request }
  return { warnings, find: () => allowedRedirect(needs, wish) }
}

const target = (wish: RequestedRedirect) => ask(wish).find()

describe('the target', () => {
  it('is the requested one, where it is permitted', () => {
    expect(
      target({ target: 'https://docs.acme.test/a', referer: 'https://docs.acme.test/b' }),
    ).toBe('https://docs.acme.test/a')
  })

  it.each([undefined, '', 'https://evil.test/'])(
    'is the page that sent the request, for %j',
    (wanted) => {
      expect(target({ target: wanted, referer: 'https://docs.acme.test/b' })).toBe(
        'https://docs.acme.test/b',
      )
    },
  )

  it.each([undefined, '', 'https://evil.test/'])(
    'is the site, for %j without a referer',
    (wanted) => {
      expect(target({ target: wanted })).toBe(siteUrl)
      expect(target({ target: wanted, referer: 'https://mail.evil.test/' })).toBe(siteUrl)
    },
  )

  it('is valid in a header, whatever letters it was written in', () => {
    const found = target({ target: 'https://docs.acme.test/über/😀?q=ß#ä' })
    expect(found).toBe('https://docs.acme.test/%C3%BCber/%F0%9F%98%80?q=%C3%9F#%C3%A4')
    expect(ask({}, 'fallback', 'https://bücher.test/ü').find()).toBe(
      'https://xn--bcher-kva.test/%C3%BC',
    )
  })
})

describe('a target that is not permitted', () => {
  it('causes a warning with the rule that failed, without path or query', () => {
    const { warnings, find } = ask({ target: 'https://evil.test/a?token=s3cret#s3cret' })
    find()
    expect(warnings).toEqual([
      [
        {
          requestId: 'request-1',
          reason: 'it is neither the site nor on the allow list',
          target: 'https://evil.test',
        },
        'redirect target rejected',
      ],
    ])
  })

  it.each([
    ['https://ann:s3cret@evil.test/', 'https://evil.test'],
    ['acmeapp://s3cret/a', 'acmeapp:'],
    ['data:text/plain,s3cret', 'data:'],
    ['s3cret', null],
  ])('is not quoted: %s', (wanted, shown) => {
    const { warnings, find } = ask({ target: wanted })
    find()
    expect(warnings).toMatchObject([[{ target: shown }, 'redirect target rejected']])
    expect(JSON.stringify(warnings)).not.toContain('s3cret')
  })

  it('causes no warning when it was not requested', () => {
    const { warnings, find } = ask({ referer: 'https://mail.evil.test/' })
    find()
    expect(warnings).toEqual([])
  })

  it('is an error of a call in development, with reason and remedy', () => {
    const denied = { target: 'https://evil.test/' }
    const inDevelopment = (wish: RequestedRedirect) => ask(wish, 'fallback', siteUrl, true).find

    expect(inDevelopment({ ...denied, isCall: true })).toThrow(
      'redirect_to: is not a permitted target: it is neither the site nor on the allow list. ' +
        'Add it to redirects.allowList (AUTH_URI_ALLOW_LIST)',
    )
    expect(inDevelopment(denied)()).toBe(siteUrl)
    expect(ask({ ...denied, isCall: true }).find()).toBe(siteUrl)
  })

  it('is rejected where the configuration requires it, if it was requested', () => {
    expect(ask({ target: 'https://evil.test/' }, 'reject').find).toThrow(
      expect.objectContaining({
        code: 'validation_failed',
        status: 400,
        message: 'redirect_to: is not a permitted target',
      }),
    )
    expect(ask({ referer: 'https://evil.test/' }, 'reject').find()).toBe(siteUrl)
  })
})
