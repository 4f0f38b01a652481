import { afterAll, beforeAll, expect, it } from 'vitest'
import { type PagesApp, startPagesApp } from './support/pages-app.ts'
import { describePages } from './support/pages-suite.ts'
import { testPassword } from './support/test-auth.ts'

let app: PagesApp

beforeAll(async () => {
  app = await startPagesApp()
})
afterAll(() => app?.close())

let count = 0
const newAddress = (): string => `ada${count++}@example.test`

describePages('the pages', ({ window, button, heading, signIn, signedInUser, typePassword }) => {
  it('sign up, confirm by the mailed link, and return to the redirect target', async () => {
    const page = await window()
    const email = newAddress()
    const target = `${app.url}/welcome?plan=gold`
    await page.goto(`${app.pages}/sign-up?${new URLSearchParams({ redirect_to: target })}`)
    await page.getByLabel('Email', { exact: true }).fill(email)
    await typePassword(page, testPassword)
    await button(page, 'Create account').click()
    await heading(page, 'Check your inbox')

    await page.goto(app.linkOf(await app.auth.messageTo(email)))

    expect(page.url()).toBe(target)
    expect(await signedInUser(page)).toBe(email)
  })

  it('sign up and confirm by the code, also after a wrong one', async () => {
    const page = await window()
    const email = newAddress()
    await page.goto(`${app.pages}/sign-up`)
    await page.getByLabel('Email', { exact: true }).fill(email)
    await typePassword(page, testPassword)
    await button(page, 'Create account').click()
    await page.getByLabel('Code').fill('000000')
    await button(page, 'Continue').click()
    await page.getByText('This code or link is wrong').waitFor()
    expect(await page.title()).toMatch(/^Error: /)
    expect(await page.evaluate(() => document.activeElement?.getAttribute('name'))).toBe('code')

    await page.getByLabel('Code').fill((await app.auth.messageTo(email)).code)
    await button(page, 'Continue').click()
    await page.waitForURL(`${app.url}/`)
    expect(await signedInUser(page)).toBe(email)
  })

  it('sign in and out, and reject wrong details without naming the field', async () => {
    const page = await window()
    const { email } = await app.auth.given.user(newAddress())
    await page.goto(`${app.pages}/sign-in`)
    await signIn(page, email ?? '', 'wrong horse')
    await page.getByRole('alert').getByText('These details are wrong').waitFor()
    expect(await page.locator('[name=identifier]').inputValue()).toBe(email)

    await signIn(page, email ?? '')
    await page.waitForURL(`${app.url}/`)
    expect(await signedInUser(page)).toBe(email)

    await page.goto(`${app.pages}/account`)
    await heading(page, 'Your account')
    await button(page, 'Sign out').click()
    await heading(page, 'You are signed out')
    await page.goto(app.url)
    expect(await signedInUser(page)).toBe('nobody')
  })

  it('set a new password by the link, and return to the account', async () => {
    const page = await window()
    const { email } = await app.auth.given.user(newAddress())
    await page.goto(`${app.pages}/account`)
    await heading(page, 'Sign in to Acme')
    await page.getByRole('link', { name: 'Forgot password?' }).click()
    await page.getByLabel('Email').fill(email ?? '')
    await button(page, 'Send email').click()
    await heading(page, 'Check your inbox')

    await page.goto(app.linkOf(await app.auth.messageTo(email ?? '')))
    await heading(page, 'Set a new password')
    await typePassword(page, 'another horse')
    await button(page, 'Save password').click()
    await heading(page, 'Your account')
    await page.getByText('Your password was changed.').waitFor()

    await button(page, 'Sign out').click()
    await page.goto(`${app.pages}/sign-in`)
    await signIn(page, email ?? '', 'another horse')
    await page.waitForURL(`${app.url}/`)
  })

  it('start no session by a link that is opened in another browser', async () => {
    const page = await window()
    const email = newAddress()
    await page.goto(`${app.pages}/sign-up`)
    await page.getByLabel('Email', { exact: true }).fill(email)
    await typePassword(page, testPassword)
    await button(page, 'Create account').click()
    await heading(page, 'Check your inbox')
    const other = await window()

    await other.goto(app.linkOf(await app.auth.messageTo(email)))

    await heading(other, 'Thank you')
    await other.goto(app.url)
    expect(await signedInUser(other)).toBe('nobody')
    await page.goto(`${app.pages}/sign-in`)
    await signIn(page, email)
    await page.waitForURL(`${app.url}/`)
  })
})

// The page's own types differ from the test's.
declare const document: {
  activeElement: { getAttribute(name: string): string | null } | null
}
