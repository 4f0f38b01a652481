/**
 * The headers of a response, as hosts have them: `Headers`, Express's response and Koa's context;
 * the response of `node:http`; Fastify's reply and Hono's context.
 */
export type ResponseHeaders = Pick<Headers, 'append' | 'set'> | NodeHeaders | HeaderMethod

interface NodeHeaders {
  appendHeader(name: string, value: string): unknown
  setHeader(name: string, value: string): unknown
}

interface HeaderMethod {
  /** Fastify, which ignores the options, appends cookies, and replaces other headers. */
  header(name: string, value: string, options?: { append?: boolean }): unknown
}

const methods = ['append', 'appendHeader', 'header']

/**
 * Returns the headers with the methods of `Headers`.
 *
 * @throws TypeError for a value that is no headers.
 */
export function headersOf(target: ResponseHeaders): {
  append(name: 'set-cookie', value: string): void
  set(name: string, value: string): void
} {
  const isObject = typeof target === 'object' && target !== null
  if (!isObject || !methods.some((name) => name in target)) {
    throw new TypeError('headers: must be the Headers or the response of the framework')
  }
  // Express's response has all of these methods.
  if ('append' in target) {
    return {
      append: (name, value) => void target.append(name, value),
      set: (name, value) => void target.set(name, value),
    }
  }
  if ('appendHeader' in target) {
    return {
      append: (name, value) => void target.appendHeader(name, value),
      set: (name, value) => void target.setHeader(name, value),
    }
  }
  return {
    append: (name, value) => void target.header(name, value, { append: true }),
    set: (name, value) => void target.header(name, value),
  }
}
