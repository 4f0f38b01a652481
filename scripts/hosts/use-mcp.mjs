import { once } from 'node:events'
import { createServer } from 'node:https'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { certificateOf } from './certificate.mjs'

const { trustCertificate } = await import('../../test/support/trust-certificate.ts')

/** The pages that receive the codes exist in the browser only. */
const redirectUrl = 'http://127.0.0.1:33418/callback'
const metadata = {
  client_name: 'Editor',
  redirect_uris: [redirectUrl],
  grant_types: ['authorization_code', 'refresh_token'],
  response_types: ['code'],
  token_endpoint_auth_method: 'none',
}

/**
 * The document that describes a client, at its own URL.
 *
 * @typedef {object} ClientDocument
 * @property {string} url
 * @property {() => number} requests returns the number of requests so far
 * @property {() => void} close
 */

/** @returns {Promise<ClientDocument>} */
export async function startClientDocument() {
  let requests = 0
  const server = createServer(certificateOf(), ({ headers }, response) => {
    requests += 1
    const clientId = `https://${headers.host}/client.json`
    response.setHeader('content-type', 'application/json')
    response.end(JSON.stringify({ client_id: clientId, ...metadata }))
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  const port = typeof address === 'object' ? address?.port : 0
  return {
    url: `https://localhost:${port}/client.json`,
    requests: () => requests,
    close: () => {
      server.closeAllConnections()
      server.close()
    },
  }
}

/**
 * @typedef {object} McpVisit
 * @property {import('playwright-core').Browser} browser
 * @property {{ email: string, password: string }} credentials of a registered user
 * @property {string} project the folder in which the MCP SDK is installed
 * @property {ClientDocument} document
 */

/**
 * Uses an MCP server with the client of the MCP SDK, once registered by itself and once by a
 * document: it finds the authorization server, the user signs in and consents in a browser, the
 * client calls a tool, renews its access, and loses it.
 *
 * @param {string} url of the application, over TLS
 * @param {McpVisit} visit
 */
export async function useMcp(url, visit) {
  using _trusted = trustCertificate(certificateOf().cert)
  const sdk = await loadSdk(visit.project)
  await expectChallenge(url)
  for (const clientMetadataUrl of [undefined, visit.document.url]) {
    const client = createClient(sdk, url, clientMetadataUrl)
    await client.connect().then(
      () => fail('a tool without access'),
      (/** @type {unknown} */ error) => expectUnauthorized(sdk, error),
    )
    await client.finish(await grantInBrowser(client.authorizationUrl(), visit))
    const answer = await client.listNotes()
    expectSame('the answer of the tool', answer, `a note of ${visit.credentials.email}`)
    const first = client.tokens().access_token
    // The server rejects it, so that the client renews its access.
    client.loseAccessToken()
    expectSame('the answer after a renewal', await client.listNotes(), answer)
    if (client.tokens().access_token === first) fail('the access was not renewed')
    await revokeGrant(url, visit, client.clientId())
    await client.listNotes().then(
      () => fail('the access was not revoked'),
      (/** @type {unknown} */ error) => expectUnauthorized(sdk, error),
    )
    if (client.tokens()) fail('the client kept the tokens of a revoked grant')
    const isDocument = client.clientId() === clientMetadataUrl
    expectSame('the kind of the client', isDocument, clientMetadataUrl !== undefined)
  }
  if (visit.document.requests() === 0) fail('the document of the client was not read')
}

/** @param {string} project */
async function loadSdk(project) {
  const { resolve } = createRequire(join(project, 'package.json'))
  const load = (/** @type {string} */ path) =>
    import(pathToFileURL(resolve(`@modelcontextprotocol/sdk/client/${path}`)).href)
  const [{ Client }, { StreamableHTTPClientTransport }, { UnauthorizedError }] = await Promise.all([
    load('index.js'),
    load('streamableHttp.js'),
    load('auth.js'),
  ])
  return { Client, StreamableHTTPClientTransport, UnauthorizedError }
}

/**
 * @typedef {Awaited<ReturnType<typeof loadSdk>>} Sdk
 * @typedef {{ access_token: string, refresh_token?: string }} Tokens
 */

/**
 * Returns a client of the SDK, and what it stores.
 *
 * @param {Sdk} sdk
 * @param {string} url
 * @param {string | undefined} clientMetadataUrl
 */
function createClient({ Client, StreamableHTTPClientTransport }, url, clientMetadataUrl) {
  /** @type {any} */
  let information
  /** @type {Tokens | undefined} */
  let tokens
  let verifier = ''
  /** @type {URL | undefined} */
  let authorizationUrl
  const provider = {
    ...(clientMetadataUrl && { clientMetadataUrl }),
    redirectUrl,
    clientMetadata: metadata,
    state: () => 'a state',
    clientInformation: () => information,
    saveClientInformation: (/** @type {unknown} */ given) => {
      information = given
    },
    tokens: () => tokens,
    saveTokens: (/** @type {Tokens} */ given) => {
      tokens = given
    },
    redirectToAuthorization: (/** @type {URL} */ given) => {
      authorizationUrl = given
    },
    saveCodeVerifier: (/** @type {string} */ given) => {
      verifier = given
    },
    codeVerifier: () => verifier,
    invalidateCredentials: (/** @type {string} */ scope) => {
      if (scope === 'all' || scope === 'tokens') tokens = undefined
      if (scope === 'all' || scope === 'client') information = undefined
    },
  }
  const open = () =>
    new StreamableHTTPClientTransport(new URL(`${url}/mcp`), { authProvider: provider })
  let client = new Client({ name: 'editor', version: '1.0.0' })
  let transport = open()
  return {
    connect: () => client.connect(transport),
    authorizationUrl: () => String(authorizationUrl),
    finish: async (/** @type {string} */ code) => {
      await transport.finishAuth(code)
      client = new Client({ name: 'editor', version: '1.0.0' })
      transport = open()
      await client.connect(transport)
    },
    listNotes: async () => {
      const call = { name: 'list-notes', arguments: { containing: 'note' } }
      const { content } = await client.callTool(call)
      return content.map((/** @type {{ text: string }} */ { text }) => text).join()
    },
    tokens: () => /** @type {Tokens} */ (tokens),
    loseAccessToken: () => {
      if (tokens) tokens = { ...tokens, access_token: 'ended' }
    },
    clientId: () => information?.client_id,
  }
}

/** Expects the URL of the metadata in the response to a request without access. */
async function expectChallenge(/** @type {string} */ url) {
  const { status, headers } = await fetch(`${url}/mcp`, { method: 'POST' })
  expectSame('a request without access', status, 401)
  const metadataUrl = `${url}/.well-known/oauth-protected-resource/mcp`
  const challenge = headers.get('www-authenticate') ?? ''
  if (!challenge.includes(`resource_metadata="${metadataUrl}"`)) fail(`the challenge ${challenge}`)
}

/**
 * Signs in and consents on the pages, and returns the code that the browser would bring the client.
 *
 * @param {string} authorizationUrl
 * @param {McpVisit} visit
 */
async function grantInBrowser(authorizationUrl, { browser, credentials }) {
  const context = await browser.newContext({ ignoreHTTPSErrors: true })
  try {
    const page = await context.newPage()
    await page.goto(authorizationUrl)
    await page.locator('#password-identifier').fill(credentials.email)
    await page.locator('form:has(#password-identifier) [name=password]').fill(credentials.password)
    await page.locator('form:has(#password-identifier) button[type=submit]').click()
    await page.getByText('Read your notes').waitFor()
    // No server listens there: the URL that the browser requests is sufficient.
    const [request] = await Promise.all([
      page.waitForRequest((one) => one.url().startsWith(redirectUrl)),
      page.getByRole('button', { name: 'Allow' }).click(),
    ])
    return new URL(request.url()).searchParams.get('code') ?? fail(`no code in ${request.url()}`)
  } finally {
    await context.close()
  }
}

/**
 * @param {string} url
 * @param {McpVisit} visit
 * @param {string} clientId
 */
async function revokeGrant(url, { credentials }, clientId) {
  const signIn = await fetch(`${url}/auth/token?grant_type=password`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(credentials),
  })
  const { access_token: token } = /** @type {Tokens} */ (await signIn.json())
  const { status } = await fetch(
    `${url}/auth/user/oauth/grants?${new URLSearchParams({ client_id: clientId })}`,
    { method: 'DELETE', headers: { authorization: `Bearer ${token}` } },
  )
  expectSame('the revocation of a grant', status, 204)
}

/**
 * @param {Sdk} sdk
 * @param {unknown} error
 */
function expectUnauthorized({ UnauthorizedError }, error) {
  if (!(error instanceof UnauthorizedError)) throw error
}

/**
 * @param {string} what
 * @param {unknown} given
 * @param {unknown} expected
 */
function expectSame(what, given, expected) {
  if (given !== expected) fail(`${what}: ${given} instead of ${expected}`)
}

/** @returns {never} */
function fail(/** @type {string} */ problem) {
  throw new Error(problem)
}
