import { type H3Event, HTTPError } from 'h3'
import { badJson } from '../errors/request-errors.ts'
import { plainJson } from './plain-json.ts'

/**
 * The body as a JSON object, whatever media type it claims. `null` counts as an empty object.
 *
 * @throws AuthError `bad_json` for anything else, and what {@link plainJson} throws.
 */
export async function readJson(event: H3Event): Promise<Record<string, unknown>> {
  return jsonIn(await readText(event))
}

/** The same of a body that has been read. */
export function jsonIn(text: string): Record<string, unknown> {
  if (text === '') throw badJson('unexpected end of JSON input')
  return plainJson(parse(text) ?? {})
}

/** The same where a body may be left out. */
export async function readOptionalJson(event: H3Event): Promise<Record<string, unknown>> {
  return jsonIn((await readText(event)) || 'null')
}

/** The body as text, whatever it is. */
export async function readText(event: H3Event): Promise<string> {
  try {
    return await event.req.text()
  } catch (error) {
    // A body over the limit is the app's to answer; anything else is a client that went away.
    throw HTTPError.isError(error) ? error : badJson('the body ended early')
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    // The parser's own message quotes the body.
    throw badJson('it is not JSON')
  }
}
