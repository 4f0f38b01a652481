const { hotpOf } = await import('../../src/platform/kit/hotp.ts')

const person = { email: 'grace@example.test', password: 'correct horse' }
const newPassword = 'another correct horse'

/**
 * Uses the product of `examples/apps/next-product` as its users do, in a browser.
 *
 * @param {string} url its URL, over TLS
 * @param {{
 *   browser: import('playwright-core').Browser,
 *   nextMail: () => Promise<{ text?: string | undefined }>,
 *   makeAdmin: (email: string) => Promise<unknown>,
 * }} visit
 */
export async function useProduct(url, { browser, nextMail, makeAdmin }) {
  const options = { baseURL: url, ignoreHTTPSErrors: true }
  const [context, other] = [await browser.newContext(options), await browser.newContext(options)]
  const [page, elsewhere] = [await context.newPage(), await other.newPage()]
  try {
    await signUp(page, nextMail)
    await recover(page, nextMail)
    await signIn(elsewhere)
    await press(page, 'Sign out everywhere')
    await page.waitForURL('/')
    await elsewhere.goto('/account')
    await elsewhere.waitForURL('**/sign-in')
    await signIn(page)
    const secret = await enroll(page)
    const before = await page.goto('/admin')
    if (before?.status() !== 404) throw new Error(`/admin of a user: ${before?.status()}`)
    await makeAdmin(person.email)
    await page.goto('/admin')
    await page.getByText('ada@example.test').waitFor()
    await verify(elsewhere, secret)
    await press(elsewhere, 'Delete my account')
    await elsewhere.waitForURL('/')
    await page.goto('/account')
    await page.waitForURL('**/sign-in')
  } finally {
    await context.close()
    await other.close()
  }
}

/**
 * @typedef {import('playwright-core').Page} Page
 * @param {Page} page
 * @param {string} name
 */
const press = (page, name) => page.getByRole('button', { name }).click()

/**
 * @param {Page} page
 * @param {Record<string, string>} fields
 */
async function fill(page, fields) {
  for (const [name, value] of Object.entries(fields))
    await page.locator(`[name=${name}]`).fill(value)
}

/**
 * @param {Page} page
 * @param {() => Promise<{ text?: string | undefined }>} nextMail
 */
async function signUp(page, nextMail) {
  await page.goto('/sign-up')
  await fill(page, person)
  await press(page, 'Sign up')
  const [code = ''] = /\b\d{6}\b/.exec((await nextMail()).text ?? '') ?? []
  await fill(page, { code })
  await press(page, 'Confirm')
  await page.waitForURL('**/account')
}

/**
 * @param {Page} page
 * @param {() => Promise<{ text?: string | undefined }>} nextMail
 */
async function recover(page, nextMail) {
  await page.goto('/recover')
  await fill(page, { email: person.email })
  await press(page, 'Send a link')
  const [link = ''] = /https:\S+verify\S+/.exec((await nextMail()).text ?? '') ?? []
  await page.goto(link)
  await page.waitForURL('**/new-password')
  await fill(page, { password: newPassword })
  await press(page, 'Set password')
  await page.waitForURL('**/account')
}

/** @param {Page} page */
async function signIn(page) {
  await page.goto('/sign-in')
  await fill(page, { ...person, password: newPassword })
  await press(page, 'Sign in')
  await page.waitForURL('**/account')
}

/** @param {Page} page */
async function enroll(page) {
  await page.goto('/enroll')
  await press(page, 'Add an authenticator app')
  const secret = (await page.locator('code').textContent()) ?? ''
  const width = await page
    .locator('img')
    .evaluate((image) => ('naturalWidth' in image ? image.naturalWidth : 0))
  if (width === 0) throw new Error('the browser does not show the QR code')
  await fill(page, { code: await codeOf(secret) })
  await press(page, 'Confirm')
  await page.waitForURL('**/account')
  await page.getByText('(aal2)').waitFor()
  return secret
}

/**
 * Signs in with the second factor, in another browser.
 *
 * @param {Page} page
 * @param {string} secret
 */
async function verify(page, secret) {
  await page.goto('/sign-in')
  await fill(page, { ...person, password: newPassword })
  await press(page, 'Sign in')
  await page.waitForURL('**/verify')
  await fill(page, { code: await codeOf(secret, 1) })
  await press(page, 'Verify')
  await page.waitForURL('**/account')
}

/**
 * Returns the code of an authenticator app, a number of steps of 30 seconds from now.
 *
 * @param {string} secret
 * @param {number} steps
 */
const codeOf = (secret, steps = 0) => hotpOf(secret, 6)(Math.floor(Date.now() / 30_000) + steps)
