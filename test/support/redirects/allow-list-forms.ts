/** A form of allow list entries, and the URLs that it may permit, as an independent rule. */
export interface AllowListForm {
  pattern: string
  permits(url: URL): boolean
}

const host =
  (scheme: string, pattern: RegExp, path = /^/) =>
  (url: URL): boolean =>
    url.protocol === `${scheme}:` &&
    url.username === '' &&
    pattern.test(url.host) &&
    path.test(`${url.pathname}${url.search}`)

/** Forms whose hosts all belong to the site's owner. */
export const ownForms: readonly AllowListForm[] = [
  {
    pattern: 'https://*.acme.test/cb',
    permits: host('https', /^[a-z0-9-]*\.acme\.test$/, /^\/cb$/),
  },
  { pattern: 'https://docs.acme.test/**', permits: host('https', /^docs\.acme\.test$/) },
  {
    pattern: 'https://docs.acme.test/*',
    permits: host('https', /^docs\.acme\.test$/, /^\/[^/.]*$/),
  },
  { pattern: 'https://docs.acme.test', permits: host('https', /^docs\.acme\.test$/, /^\/$/) },
  {
    pattern: 'https://docs.acme.test/cb/**',
    permits: host('https', /^docs\.acme\.test$/, /^\/cb\//),
  },
  { pattern: 'https://docs.acme.test/cb**', permits: host('https', /^docs\.acme\.test$/, /^\/cb/) },
  { pattern: 'https://{docs,eu}.acme.test/**', permits: host('https', /^(docs|eu)\.acme\.test$/) },
  { pattern: 'https://[de]*.acme.test/**', permits: host('https', /^[de][a-z0-9-]*\.acme\.test$/) },
  {
    pattern: 'https://[!x]*.acme.test/cb',
    permits: host('https', /^[^x.][^.]*\.acme\.test$/, /^\/cb$/),
  },
  { pattern: 'https://?u.acme.test/cb', permits: host('https', /^.u\.acme\.test$/, /^\/cb$/) },
  {
    pattern: 'https://*-preview.acme.test/**',
    permits: host('https', /^[^.]*-preview\.acme\.test$/),
  },
  { pattern: 'acmeapp://login/*', permits: host('acmeapp', /^login$/, /^\/[^/.]*$/) },
  { pattern: 'acmeapp://login', permits: host('acmeapp', /^login$/, /^$/) },
  { pattern: 'com.acme.app:/cb', permits: host('com.acme.app', /^$/, /^\/cb$/) },
  { pattern: 'http://localhost:*/**', permits: host('http', /^localhost:\d*$/) },
  { pattern: 'http://127.0.0.1:*/**', permits: host('http', /^127\.0\.0\.1:\d*$/) },
  { pattern: 'http://[::1]:5173/**', permits: host('http', /^\[::1\]:5173$/) },
  { pattern: 'https://203.0.113.7/**', permits: () => false },
]

/** Forms that permit more than expected. Permitted URLs must match the entry nevertheless. */
export const wideForms: readonly AllowListForm[] = [
  { pattern: 'https://**.acme.test/**', permits: host('https', /\.acme\.test$/) },
  { pattern: 'https://**acme.test/**', permits: host('https', /acme\.test$/) },
  { pattern: 'https://*', permits: host('https', /^[^.]*$/, /^\/$/) },
  { pattern: 'https://*/**', permits: host('https', /^[^.]*$/) },
  { pattern: 'https://docs.acme.test**', permits: host('https', /^docs\.acme\.test/) },
  { pattern: 'https://**', permits: host('https', /^/) },
  { pattern: 'https://**/cb', permits: host('https', /^/, /^\/cb$/) },
  { pattern: 'https://*.*/**', permits: host('https', /^[^.]*\.[^.]*$/) },
  {
    pattern: 'http{s,}://*.test/**',
    permits: (url) => /^https?:$/.test(url.protocol) && /^[^.]*\.test$/.test(url.host),
  },
  { pattern: 'acmeapp://**', permits: host('acmeapp', /^/) },
]
