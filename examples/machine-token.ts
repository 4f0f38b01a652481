// A machine that calls an API with a token of its own, without a user.
// In a clone, after `npm install`: `npx node --conditions=latchkey-source examples/machine-token.ts`
// From the package, with Node 22.18 or newer and `"type": "module"` in package.json: `cp node_modules/latchkey/examples/machine-token.ts .`,
// `node machine-token.ts`. ISSUER is the URL of the service, API that of the API. An operator creates the client:
// `latchkey clients create Reports --grant-type client_credentials --scope invoice:read`
const { ISSUER: issuer, CLIENT_ID: id, CLIENT_SECRET: secret, API: api = '' } = process.env

const response = await fetch(`${issuer}/oauth/token`, {
  method: 'POST',
  headers: { authorization: `Basic ${btoa(`${id}:${secret}`)}` },
  body: new URLSearchParams({
    grant_type: 'client_credentials',
    scope: 'invoice:read',
    resource: api,
  }),
})
const tokens = (await response.json()) as Record<string, string>
if (!response.ok) throw new Error(`${tokens['error']}: ${tokens['error_description']}`)

// Until it expires, the same token is used for all requests; there is no refresh token.
const headers = { authorization: `Bearer ${tokens['access_token']}` }
console.log(await (await fetch(api, { headers })).text())
