/** A message of PostgreSQL's protocol, version 3: its type, a letter, and what its length covers. */
export interface WireMessage {
  type: string
  body: Buffer
}

/**
 * Cuts a stream of bytes into messages, however it was cut into chunks.
 *
 * A client's first message has no type: feed one byte of any value before it.
 *
 * @returns the function to feed with each chunk.
 * @see PostgreSQL, "Message Formats"
 */
export function readMessages(onMessage: (message: WireMessage) => void): (chunk: Buffer) => void {
  let chunks: Buffer[] = []
  let size = 0
  let needed = headerBytes
  return (chunk) => {
    chunks.push(chunk)
    size += chunk.length
    if (size < needed) return

    let rest = Buffer.concat(chunks, size)
    for (needed = bytesOfFirst(rest); rest.length >= needed; needed = bytesOfFirst(rest)) {
      const type = rest.toString('latin1', 0, 1)
      onMessage({ type, body: rest.subarray(headerBytes, needed) })
      rest = rest.subarray(needed)
    }
    chunks = [rest]
    size = rest.length
  }
}

/** The zero-terminated strings that a body begins with. */
export function readStrings(body: Buffer, count: number): string[] {
  const strings: string[] = []
  for (let at = 0; strings.length < count; ) {
    const end = body.indexOf(0, at)
    strings.push(body.toString('utf8', at, end))
    at = end + 1
  }
  return strings
}

const headerBytes = 5

/** How long the first message is. The length in it counts itself, but not the type before it. */
function bytesOfFirst(buffer: Buffer): number {
  return buffer.length < headerBytes ? headerBytes : 1 + buffer.readInt32BE(1)
}
