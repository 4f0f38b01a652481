// A command line that signs its user in by a code, which the user enters in a browser.
// In a clone, after `npm install`: `npx node --conditions=latchkey-source examples/device-login.ts`
// From the package, with Node 22.18 or newer and `"type": "module"` in package.json: `cp node_modules/latchkey/examples/device-login.ts .`,
// `node device-login.ts`. ISSUER is the URL of the service, CLIENT_ID a public client with the grant of devices:
// `latchkey clients create CLI --public --grant-type urn:ietf:params:oauth:grant-type:device_code`
import { setTimeout as sleep } from 'node:timers/promises'

const { ISSUER: issuer = 'http://127.0.0.1:3000/auth', CLIENT_ID: client_id = '' } = process.env
const deviceGrant = 'urn:ietf:params:oauth:grant-type:device_code'

/** The members of the responses that are read. */
interface Members {
  device_authorization_endpoint: string
  token_endpoint: string
  userinfo_endpoint: string
  verification_uri: string
  user_code: string
  device_code: string
  interval: number
  error?: string
  access_token: string
  email: string
}

const ask = async (url: string, init: RequestInit = {}) =>
  (await (await fetch(url, init)).json()) as Members
const post = (url: string, fields: Record<string, string>) =>
  ask(url, { method: 'POST', body: new URLSearchParams(fields) })

const endpoints = await ask(`${issuer}/.well-known/oauth-authorization-server`)

const device = await post(endpoints.device_authorization_endpoint, { client_id, scope: 'email' })
if (device.error) throw new Error(device.error)
console.log(`Open ${device.verification_uri} and enter ${device.user_code}`)

const grant = { grant_type: deviceGrant, device_code: device.device_code, client_id }
let seconds = device.interval
let tokens: Members
do {
  await sleep(seconds * 1000)
  tokens = await post(endpoints.token_endpoint, grant)
  if (tokens.error === 'slow_down') seconds += 5
} while (tokens.error === 'slow_down' || tokens.error === 'authorization_pending')
if (tokens.error) throw new Error(tokens.error)

const headers = { authorization: `Bearer ${tokens.access_token}` }
const user = await ask(endpoints.userinfo_endpoint, { headers })
console.log(`Signed in as ${user.email}`)
