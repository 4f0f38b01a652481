/**
 * A message of PostgreSQL's protocol, version 3: its type (a letter), the bytes that its length
 * covers, and all its bytes.
 */
export interface WireMessage {
  type: string
  body: Buffer
  bytes: Buffer
}

/**
 * Splits a stream of bytes into messages, whatever its chunks. A client's first message has no
 * type: pass one byte of any value before it.
 *
 * @returns the function that receives each chunk.
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
      onMessage({
        type,
        body: rest.subarray(headerBytes, needed),
        bytes: rest.subarray(0, needed),
      })
      rest = rest.subarray(needed)
    }
    chunks = [rest]
    size = rest.length
  }
}

/** Returns the zero-terminated strings at the start of a body. */
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

/**
 * Returns the length of the first message. The length in it counts itself, but not the type before
 * it.
 */
function bytesOfFirst(buffer: Buffer): number {
  return buffer.length < headerBytes ? headerBytes : 1 + buffer.readInt32BE(1)
}
