import {
  carrierDeferral,
  carrierRejection,
  finalRejection,
} from '../../../delivery/carriers/carrier.ts'
import type { HookPayload, Outlet } from '../../../delivery/outbox/message.ts'
import { issuerOf } from '../../../platform/config/issuer-of.ts'
import { isLoopbackHost } from '../../../platform/kit/ip-address.ts'
import type { OutletNeeds } from '../../capability.ts'
import { findOauthClient } from '../clients/clients.sql.ts'
import { hasKeyPair } from '../protocol/issuer.ts'
import { limitSlowReceivers } from './limit-slow-receivers.ts'

/** The time in which a client has to verify a logout token. */
const lifetimeSeconds = 120
const logoutEvent = 'http://schemas.openid.net/event/backchannel-logout'

/** The end of a session of a client, as stored. */
interface EndedSession {
  client_id: string
  session_id: string
  user_id: string
}

/**
 * Returns the sender of logout tokens to clients. Each attempt has a token of its own.
 *
 * @see OpenID Connect Back-Channel Logout 1.0 §2.5
 */
export function openLogoutOutlet(
  needs: OutletNeeds,
  monotonicMs = () => performance.now(),
): Outlet<HookPayload> {
  const { clock, config, keys, random, sql } = needs
  const callReceiver = limitSlowReceivers(monotonicMs)
  return {
    send: async (payload) => {
      const {
        client_id: clientId,
        session_id: sid,
        user_id: sub,
      } = payload as unknown as EndedSession
      if (!config.oauthServer.enabled) throw finalRejection('the OAuth server is disabled')
      if (!hasKeyPair({ keys })) throw finalRejection('no key pair signs tokens')
      const now = clock.now()
      const client = await findOauthClient(sql, clientId, now)
      const uri = client?.backchannel_logout_uri ?? null
      if (uri === null) throw finalRejection('the client has no URL for it')
      const issuedAt = Math.floor(now.getTime() / 1000)
      const claims = {
        iss: issuerOf(config),
        sub,
        aud: clientId,
        iat: issuedAt,
        exp: issuedAt + lifetimeSeconds,
        jti: random.uuid(),
        sid,
        events: { [logoutEvent]: {} },
      }
      const signAndPost = async () => post(needs, uri, await keys.sign(claims, 'logout+jwt'))
      await callReceiver(new URL(uri).origin, signAndPost, tooSlow)
      return { carrierMessageId: null }
    },
    preview: async (payload) => ({ payload }),
  }
}

/** The pause of a message to a slow client. At random, so that a slot is soon used again. */
const slowPauseMs = () => 5_000 + Math.random() * 10_000

const tooSlow = () =>
  carrierDeferral('three calls to this origin wait for a response', slowPauseMs())

/** Sends a token. A response that is neither temporary nor a success is final. */
async function post(
  { config, fetch }: Pick<OutletNeeds, 'config' | 'fetch'>,
  uri: string,
  token: string,
): Promise<void> {
  const { status } = await fetch(uri, {
    // An operator registered the URL by a request: a public host, or this machine.
    isPermittedHost: isLoopbackHost(new URL(uri).hostname),
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams({ logout_token: token }).toString(),
    timeoutMs: config.outgoing.timeoutSeconds * 1000,
    truncate: true,
  })
  if (status >= 200 && status < 300) return
  const isTemporary = status >= 500 || status === 408 || status === 429
  throw carrierRejection(`the client returned ${status}`, { isFinal: !isTemporary })
}
