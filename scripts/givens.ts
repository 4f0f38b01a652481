/** What blocks of the documentation assume: `<!-- given: auth, user -->` before a block. */

export interface Given {
  /** The declaration with which `test/documented-code.test.ts` compiles the block. */
  declaration: string
  /** The description that readers see before the block, after the name. */
  text: string
}

const service = 'the service that `createAuth` returned'

export const givens: Readonly<Record<string, Given>> = {
  accessToken: {
    declaration: 'declare const accessToken: string',
    text: 'the access token of the session',
  },
  app: { declaration: `declare const app: import('express').Express`, text: 'an Express app' },
  askBrowser: {
    declaration: 'declare function askBrowser(ceremony: object): Promise<object>',
    text: 'a function that passes the options to the browser and returns its credential as JSON',
  },
  auth: { declaration: `declare const auth: import('latchkey').Auth`, text: service },
  AuthError: { declaration: `import { AuthError } from 'latchkey'`, text: 'from `latchkey`' },
  carrier: {
    declaration: `declare const carrier: {
    messages: { create(text: { to: string; text: string; idempotencyKey: string }): Promise<{ messageId: string }> }
  }`,
    text: 'the client of an SMS provider',
  },
  challengeId: {
    declaration: 'declare const challengeId: string',
    text: 'the id of the challenge',
  },
  client: {
    declaration: `declare const client: import('pg').Client`,
    text: 'a connected client of `pg`',
  },
  code: { declaration: 'declare const code: string', text: 'the code that the user entered' },
  createAuth: { declaration: `import { createAuth } from 'latchkey'`, text: 'from `latchkey`' },
  credential: {
    declaration: 'declare const credential: object',
    text: 'the credential of the browser as JSON',
  },
  Customer: {
    declaration: 'declare class Customer { id: string; plan: string }',
    text: 'an entity of the application',
  },
  email: { declaration: 'declare const email: string', text: 'an email address' },
  invoices: {
    declaration: `declare const invoices: import('latchkey').ProtectedResource`,
    text: 'the resource that `auth.protectedResource` returned',
  },
  mailboxUrl: {
    declaration: 'declare const mailboxUrl: string',
    text: 'the logged address of the mailbox',
  },
  messageId: { declaration: 'declare const messageId: string', text: 'the id of the message' },
  Note: {
    declaration: `declare class Note { id: number; owner: import('latchkey/entities').LatchkeyUser; text: string }`,
    text: 'an entity of the application with an `owner`',
  },
  oldUsers: {
    declaration: `declare function oldUsers(): AsyncIterable<import('latchkey').UserToImport>`,
    text: 'a generator of users to import',
  },
  orm: {
    declaration: `declare const orm: import('@mikro-orm/postgresql').MikroORM`,
    text: 'the `MikroORM` of the application',
  },
  page: {
    declaration: `declare const page: { session: import('latchkey/client').PageSession | null }`,
    text: 'the data of the page, with the session from the server',
  },
  password: { declaration: 'declare const password: string', text: 'a password' },
  request: {
    declaration: 'declare const request: Request',
    text: 'the request that the host received',
  },
  sendWhereverYouLike: {
    declaration: 'declare function sendWhereverYouLike(to: string, text: string): Promise<void>',
    text: 'a function that sends the message',
  },
  sessionContext: {
    declaration: `declare const sessionContext: import('latchkey/react-router').SessionContext`,
    text: 'the context of the session',
  },
  sessions: {
    declaration: `declare const sessions: import('latchkey/cookies').CookieSessions`,
    text: 'the [cookie sessions](cookies.md) that `createCookieSessions` returned',
  },
  toExpress: {
    declaration: `import { toExpress } from 'latchkey/express'`,
    text: 'from `latchkey/express`',
  },
  User: {
    declaration: `declare const User: import('latchkey/entities').LatchkeyEntities['User']`,
    text: 'the entity from `latchkeyEntities`',
  },
  user: { declaration: `declare const user: import('latchkey').User`, text: 'a `User`' },
  userId: { declaration: 'declare const userId: string', text: 'the id of the user' },
  waitUntil: {
    declaration: 'declare function waitUntil(work: Promise<unknown>): void',
    text: 'the function of the platform that keeps the process running',
  },
}

const marked =
  /^<!-- (?:given: ([\w, ]+)|from: (examples\/\S+)) -->\n+(?:(?:Given|File): [^\n]*\n\n)?(?=```)/gm

/**
 * Returns a page of docs/ in which each block shows what it assumes, and the file that it copies.
 *
 * @throws Error for a name that {@link givens} does not contain.
 */
export const withAssumptions = (page: string): string =>
  page.replaceAll(marked, (_, names: string | undefined, file: string | undefined) =>
    names === undefined
      ? `<!-- from: ${file} -->\nFile: [${file}](../${file})\n\n`
      : `<!-- given: ${names} -->\nGiven: ${names.split(', ').map(describe).join('; ')}.\n\n`,
  )

function describe(name: string): string {
  const given = givens[name]
  if (!given) throw new Error(`givens has no ${name}`)
  return `\`${name}\`, ${given.text}`
}
