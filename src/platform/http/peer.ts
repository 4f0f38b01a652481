/** The part of a server's socket by which its peer is identified. */
export interface PeerSocket {
  readonly remoteAddress?: unknown
  readonly localAddress?: unknown
  readonly destroyed?: unknown
}

/**
 * Takes the place of the address of a peer that has disconnected. A client that resets its
 * connection after a request has no address, while its request can still be read. All requests of
 * such clients are counted together.
 */
export const disconnectedPeer = 'disconnected'

/**
 * Returns the address of a socket's peer, or `disconnectedPeer`.
 *
 * @returns undefined without a socket, and for one of the file system, which has no addresses.
 */
export function peerOfSocket(socket: PeerSocket | null | undefined): string | undefined {
  if (typeof socket?.remoteAddress === 'string') return socket.remoteAddress
  const wasConnected = socket?.destroyed === true || typeof socket?.localAddress === 'string'
  return wasConnected ? disconnectedPeer : undefined
}

/** The part of Bun's server by which the peer of a request is identified. */
export interface PeerServer {
  /** Absent where the server listens on a socket of the file system. */
  readonly port?: number | undefined
  requestIP?(request: Request): { readonly address: string } | null
}

/** Returns the address of the peer of a request to Bun's server, as {@link peerOfSocket}. */
export function peerOfServer(
  bun: PeerServer | null | undefined,
  request: Request,
): string | undefined {
  const found = bun?.requestIP?.(request)
  return found?.address ?? (found === null && bun?.port ? disconnectedPeer : undefined)
}

/** The places in which hosts store the peer of a request. */
interface PeerRequest {
  readonly socket?: PeerSocket | null | undefined
  readonly ip?: unknown
  /** srvx, which h3 and Nitro use. */
  readonly runtime?: { readonly node?: { readonly req?: { readonly socket?: PeerSocket } } }
}

/**
 * Returns the address of the peer of a request, as {@link peerOfSocket}. A socket has precedence:
 * hosts may derive `ip` from headers that any client can send.
 */
export function peerOfRequest(request: object): string | undefined {
  const { socket, ip, runtime }: PeerRequest = request
  const known = peerOfSocket(socket) ?? (typeof ip === 'string' ? ip : undefined)
  return known ?? peerOfSocket(runtime?.node?.req?.socket)
}
